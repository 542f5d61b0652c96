/// Random expressions: what the program computes against an interpreter of the same tree in double, its Jacobian
/// against central differences of that interpreter, and of the program itself.
///
/// The bounds hold where the expression is well conditioned: divisors, norms and what stands between bars are away
/// from zero and no value is above 20. Inputs are exact but for a body's cosine and sine, which are 8.4e-10 off;
/// each operation rounds by at most 2^-33, and what follows magnifies both.

#include "test_program_util.h"

enum { NODES_MAX = 64, BODIES = 3, VECTORS = 3, SCALARS = 3 };

/// X(name, operands' and own type, how it is written: a and b stand for the operands)
#define TREE_OP_LIST(X)                   \
    X(NUMBER, "0s", "")                   \
    X(SCALAR, "0s", "")                   \
    X(ROTATION, "0s", "")                 \
    X(LET_SCALAR, "0s", "w")              \
    X(VECTOR, "0v", "")                   \
    X(POSITION, "0v", "")                 \
    X(LET_VECTOR, "0v", "z")              \
    X(ADD, "sss", "(a + b)")              \
    X(SUB, "sss", "(a - b)")              \
    X(MUL, "sss", "(a * b)")              \
    X(DIV, "sss", "(a / b)")              \
    X(NEG, "ss", "(-a)")                  \
    X(ABS, "ss", "|a|")                   \
    X(NORM, "vs", "|a|")                  \
    X(DOT, "vvs", "(a dot b)")            \
    X(CROSS, "vvs", "(a cross b)")        \
    X(GET_X, "vs", "a.x")                 \
    X(GET_Y, "vs", "a.y")                 \
    X(VECTOR_ADD, "vvv", "(a + b)")       \
    X(VECTOR_SUB, "vvv", "(a - b)")       \
    X(VECTOR_NEG, "vv", "(-a)")           \
    X(SCALE, "svv", "(a * b)")            \
    X(OVER, "vsv", "(a / b)")             \
    X(UNIT, "vv", "(unit a)")             \
    X(RELATIVE, "svv", "(relative a b)")  \
    X(SCALAR_CROSS, "svv", "(a cross b)") \
    X(CROSS_SCALAR, "vsv", "(a cross b)")

typedef enum tree_op {
#define TREE_OP_ENUM(name, types, text) TREE_##name,
    TREE_OP_LIST(TREE_OP_ENUM)
#undef TREE_OP_ENUM
        TREE_OP_COUNT
} tree_op;

static const char *const tree_types[] = {
#define TREE_OP_TYPES(name, types, text) types,
    TREE_OP_LIST(TREE_OP_TYPES)
#undef TREE_OP_TYPES
};

static const char *const tree_texts[] = {
#define TREE_OP_TEXT(name, types, text) text,
    TREE_OP_LIST(TREE_OP_TEXT)
#undef TREE_OP_TEXT
};

typedef struct tree_node {
    tree_op op;
    int index; // of a number in quarters, a parameter or a body
    int a, b;  // operands
} tree_node;

/// let w = nodes[lets[0]] in let z = nodes[lets[1]] in nodes[root]
typedef struct tree {
    tree_node nodes[NODES_MAX];
    int count;
    int lets[2];
    int root;
    int lets_known; // while it is made
} tree;

// ---- making --------------------------------------------------------------------------------------

static int pick(uint64_t *random, int count) {
    return (int)(random_u64(random) % (uint64_t)count);
}

static char type_of(tree_op op) {
    return tree_types[op][strlen(tree_types[op]) - 1];
}

static int operand_count(tree_op op) {
    return tree_types[op][0] == '0' ? 0 : (int)strlen(tree_types[op]) - 1;
}

/// Adds a random tree of a type; at depth 0 a leaf.
static int grow(tree *t, uint64_t *random, char type, int depth) {
    tree_node node = {0};
    bool is_leaf = depth == 0 || t->count > NODES_MAX - 24 || pick(random, 6) == 0;
    do {
        node.op = (tree_op)pick(random, TREE_OP_COUNT);
    } while (type_of(node.op) != type || (operand_count(node.op) == 0) != is_leaf ||
             (node.op == TREE_LET_SCALAR && t->lets_known < 1) || (node.op == TREE_LET_VECTOR && t->lets_known < 2));
    node.index = node.op == TREE_NUMBER ? pick(random, 16) + 1 : pick(random, 3);
    if (operand_count(node.op) > 0) {
        node.a = grow(t, random, tree_types[node.op][0], depth - 1);
    }
    if (operand_count(node.op) > 1) {
        node.b = grow(t, random, tree_types[node.op][1], depth - 1);
    }
    t->nodes[t->count] = node;
    return t->count++;
}

static void grow_tree(tree *t, uint64_t *random, int depth) {
    *t = (tree){0};
    t->lets[0] = grow(t, random, 's', depth - 1);
    t->lets_known = 1;
    t->lets[1] = grow(t, random, 'v', depth - 1);
    t->lets_known = 2;
    t->root = grow(t, random, 's', depth);
}

// ---- writing -------------------------------------------------------------------------------------

static void append(char *text, size_t size, const char *more) {
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s", more);
}

static void write_node(const tree *t, int at, char *text, size_t size) {
    const tree_node *node = &t->nodes[at];
    char leaf[32] = "";
    switch (node->op) {
    case TREE_NUMBER:
        snprintf(leaf, sizeof leaf, "%d.%02d", node->index / 4, node->index % 4 * 25);
        break;
    case TREE_SCALAR:
        snprintf(leaf, sizeof leaf, "s%d", node->index);
        break;
    case TREE_VECTOR:
        snprintf(leaf, sizeof leaf, "v%d", node->index);
        break;
    case TREE_ROTATION:
        snprintf(leaf, sizeof leaf, "b%d.rotation", node->index);
        break;
    case TREE_POSITION:
        snprintf(leaf, sizeof leaf, "b%d.position", node->index);
        break;
    default:
        break;
    }
    append(text, size, leaf);
    for (const char *c = tree_texts[node->op]; *c != 0; ++c) {
        bool is_word = (c > tree_texts[node->op] && c[-1] >= 'a' && c[-1] <= 'z') || (c[1] >= 'a' && c[1] <= 'z');
        if ((*c == 'a' || *c == 'b') && !is_word) {
            write_node(t, *c == 'a' ? node->a : node->b, text, size);
        } else {
            append(text, size, (char[]){*c, 0});
        }
    }
}

static void write_tree(const tree *t, char *text, size_t size) {
    text[0] = 0;
    append(text, size, "body b0, b1, b2 vector v0, v1, v2 scalar s0, s1, s2\nconstraint let w = ");
    write_node(t, t->lets[0], text, size);
    append(text, size, " in\nlet z = ");
    write_node(t, t->lets[1], text, size);
    append(text, size, " in\n");
    write_node(t, t->root, text, size);
}

// ---- evaluating ----------------------------------------------------------------------------------

typedef struct point {
    double bodies[BODIES][3]; // x, y, rotation
    double vectors[VECTORS][2];
    double scalars[SCALARS];
} point;

typedef struct val {
    double x, y; // a scalar is x
} val;

typedef struct interpreter {
    const tree *tree;
    const point *at;
    val lets[2];
    bool is_ill; // something was too large or too close to where it jumps
} interpreter;

static val interpret(interpreter *in, int at) {
    const tree_node *node = &in->tree->nodes[at];
    val a = operand_count(node->op) > 0 ? interpret(in, node->a) : (val){0, 0};
    val b = operand_count(node->op) > 1 ? interpret(in, node->b) : (val){0, 0};
    const point *p = in->at;
    val r = {0, 0};
    double near = 1; // to zero, where the operation is not smooth
    switch (node->op) {
    case TREE_NUMBER:
        r.x = node->index / 4.0;
        break;
    case TREE_SCALAR:
        r.x = p->scalars[node->index];
        break;
    case TREE_ROTATION:
        r.x = p->bodies[node->index][2];
        break;
    case TREE_LET_SCALAR:
        r = in->lets[0];
        break;
    case TREE_VECTOR:
        r = (val){p->vectors[node->index][0], p->vectors[node->index][1]};
        break;
    case TREE_POSITION:
        r = (val){p->bodies[node->index][0], p->bodies[node->index][1]};
        break;
    case TREE_LET_VECTOR:
        r = in->lets[1];
        break;
    case TREE_ADD:
    case TREE_VECTOR_ADD:
        r = (val){a.x + b.x, a.y + b.y};
        break;
    case TREE_SUB:
    case TREE_VECTOR_SUB:
        r = (val){a.x - b.x, a.y - b.y};
        break;
    case TREE_MUL:
        r.x = a.x * b.x;
        break;
    case TREE_DIV:
        near = fabs(b.x), r.x = a.x / b.x;
        break;
    case TREE_NEG:
    case TREE_VECTOR_NEG:
        r = (val){-a.x, -a.y};
        break;
    case TREE_ABS:
        near = fabs(a.x), r.x = fabs(a.x);
        break;
    case TREE_NORM:
        near = r.x = hypot(a.x, a.y);
        break;
    case TREE_DOT:
        r.x = a.x * b.x + a.y * b.y;
        break;
    case TREE_CROSS:
        r.x = a.x * b.y - a.y * b.x;
        break;
    case TREE_GET_X:
        r.x = a.x;
        break;
    case TREE_GET_Y:
        r.x = a.y;
        break;
    case TREE_SCALE:
        r = (val){a.x * b.x, a.x * b.y};
        break;
    case TREE_OVER:
        near = fabs(b.x), r = (val){a.x / b.x, a.y / b.x};
        break;
    case TREE_UNIT:
        near = hypot(a.x, a.y), r = (val){a.x / near, a.y / near};
        break;
    case TREE_RELATIVE:
        r = (val){cos(a.x) * b.x - sin(a.x) * b.y, sin(a.x) * b.x + cos(a.x) * b.y};
        break;
    case TREE_SCALAR_CROSS:
        r = (val){-a.x * b.y, a.x * b.x};
        break;
    case TREE_CROSS_SCALAR:
        r = (val){b.x * a.y, -b.x * a.x};
        break;
    case TREE_OP_COUNT:
        break;
    }
    in->is_ill = in->is_ill || !(near > 0.5) || !(fabs(r.x) + fabs(r.y) < 20);
    return r;
}

static double interpret_tree(const tree *t, const point *at, bool *is_ill) {
    interpreter in = {.tree = t, .at = at};
    in.lets[0] = interpret(&in, t->lets[0]);
    in.lets[1] = interpret(&in, t->lets[1]);
    double value = interpret(&in, t->root).x;
    *is_ill = *is_ill || in.is_ill;
    return value;
}

static point point_of(const program_state *state) {
    point p;
    for (int i = 0; i < 3; ++i) {
        p.bodies[i][0] = to_double(state->bodies[i].position[0]);
        p.bodies[i][1] = to_double(state->bodies[i].position[1]);
        p.bodies[i][2] = to_double(state->bodies[i].angle);
        p.vectors[i][0] = to_double(state->params.vectors[i][0]);
        p.vectors[i][1] = to_double(state->params.vectors[i][1]);
        p.scalars[i] = to_double(state->params.scalars[i]);
    }
    return p;
}

/// The derivative by a body's x, y or rotation; *uncertain is how far two step widths differ.
static double central_difference(const tree *t, point p, int body, int column, double *uncertain, bool *is_ill) {
    double at = p.bodies[body][column];
    double slopes[2];
    for (int i = 0; i < 2; ++i) {
        double h = i == 0 ? 1e-4 : 5e-5;
        p.bodies[body][column] = at + h;
        double up = interpret_tree(t, &p, is_ill);
        p.bodies[body][column] = at - h;
        slopes[i] = (up - interpret_tree(t, &p, is_ill)) / (2 * h);
    }
    *uncertain = fabs(slopes[1] - slopes[0]);
    return slopes[1] + (slopes[1] - slopes[0]) / 3; // Richardson
}

// ---- tests ---------------------------------------------------------------------------------------

/// The largest errors over all expressions: of C, and of J relative to 1 + |J|.
static long double error_of_values;
static long double error_of_jacobians;
static int states_compared;

static void compare_state(const tree *t, const iso_program *program, const program_state *state, const char *source) {
    point p = point_of(state);
    iso__program_rows rows;
    bool is_ill = false;
    double value = interpret_tree(t, &p, &is_ill);
    double slopes[BODIES][3];
    double uncertain;
    for (int k = 0; k < 9; ++k) {
        slopes[k / 3][k % 3] = central_difference(t, p, k / 3, k % 3, &uncertain, &is_ill);
        is_ill = is_ill || uncertain > 1e-6 || fabs(slopes[k / 3][k % 3]) > 50;
    }
    if (is_ill) {
        return;
    }
    iso__program_evaluate(program, state->bodies, &state->params, &rows);
    long double error = fabs(to_double(rows.error[0]) - value);
    note_error(&error_of_values, error);
    for (int k = 0; k < 9; ++k) {
        double slope = slopes[k / 3][k % 3];
        long double off = fabs(to_double(rows.jacobian[0][k / 3][k % 3]) - slope) / (1 + fabs(slope));
        note_error(&error_of_jacobians, off);
        if (off > 1e-5L || error > 1e-5L) {
            print_error("%s\nvalue %.9g of %.9g, derivative %d: %.9g of %.9g\n", source, to_double(rows.error[0]),
                        value, k, to_double(rows.jacobian[0][k / 3][k % 3]), slope);
            fail();
        }
    }
    states_compared += 1;
}

static void test_random_expressions_and_their_derivatives(void **unused) {
    (void)unused;
    uint64_t random = 20;
    int compiled = 0;
    for (int i = 0; i < 3000; ++i) {
        tree t;
        char source[ISO_PROGRAM_SOURCE_MAX + 1];
        iso_program program;
        iso_program_error error;
        grow_tree(&t, &random, 2 + i % 4);
        write_tree(&t, source, sizeof source);
        if (compile_text(source, &program, &error) != ISO_OK) {
            // Only what is constant, or nested too deeply, is refused.
            if (strstr(error.message, "no body moves") == NULL) {
                print_error("%s\n%u:%u: %s\n", source, error.line, error.column, error.message);
                fail();
            }
            continue;
        }
        compiled += 1;
        assert_int_equal(iso_program_check(&program), ISO_OK);
        for (int k = 0; k < 8; ++k) {
            program_state state;
            random_state(&random, 3, &state);
            compare_state(&t, &program, &state, source);
        }
    }
    print_message("%d expressions, %d states\n", compiled, states_compared);
    assert_true(compiled > 2000);
    assert_true(states_compared > 8000);
    CHECK_BELOW("C against double", error_of_values, 5e-7L);
    CHECK_BELOW("J against differences, over 1 + |J|", error_of_jacobians, 5e-7L);
}

/// C of a program with one coordinate of a body moved.
static void evaluate_moved(const iso_program *program, const program_state *state, int body, int column, int64_t by,
                           iso__program_rows *rows) {
    program_state moved = *state;
    iso__program_body *b = &moved.bodies[body];
    set_body(b, b->position[0] + (column == 0 ? by : 0), b->position[1] + (column == 1 ? by : 0),
             b->angle + (column == 2 ? by : 0));
    iso__program_evaluate(program, moved.bodies, &moved.params, rows);
}

/// The document's constraints, in fixed point alone. With h = 2^-9 and lengths up to 17 m a difference leaves out
/// h^2/6 of the third derivative, 1.1e-5, and cosines that are 8.4e-10 off make an error of 7e-6.
static void test_examples_agree_with_their_own_differences(void **unused) {
    (void)unused;
    static const char *const sources[] = {WELD_SOURCE, DISTANCE_SOURCE, LINE_SOURCE};
    uint64_t random = 21;
    long double worst = 0;
    for (size_t s = 0; s < 3; ++s) {
        iso_program program;
        compile_good(sources[s], &program);
        for (int i = 0; i < 200; ++i) {
            program_state state;
            random_state(&random, 5, &state);
            iso__program_rows rows;
            iso__program_evaluate(&program, state.bodies, &state.params, &rows);
            const iso_wide *direction = state.params.vectors[2];
            if ((s == 1 && rows.error[0] < ISO_WIDE_ONE) ||
                (s == 2 && iso_wide_hypot(direction[0], direction[1]) < ISO_WIDE_ONE)) {
                continue; // a length close to 0 is curved, a short direction is coarse
            }
            for (int k = 0; k < 6; ++k) {
                iso__program_rows up;
                iso__program_rows down;
                int64_t h = ISO_WIDE_ONE >> 9;
                evaluate_moved(&program, &state, k / 3, k % 3, h, &up);
                evaluate_moved(&program, &state, k / 3, k % 3, -h, &down);
                for (uint32_t r = 0; r < program.row_count; ++r) {
                    double slope = (double)(up.error[r] - down.error[r]) / (double)(2 * h);
                    note_error(&worst, to_double(rows.jacobian[r][k / 3][k % 3]) - slope);
                }
            }
        }
    }
    CHECK_BELOW("J of the examples against differences", worst, 2e-5L);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_expressions_and_their_derivatives),
        cmocka_unit_test(test_examples_agree_with_their_own_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
