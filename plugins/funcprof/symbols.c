/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/kallsyms of a 32-bit kernel
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
#include <sys/stat.h>
#include "symbols.h"

#define MAX_FILE        (64u << 20)
#define BEGIN           "@symbols"
#define END             "@end "

struct parser {
    const char *path;
    GArray *found;          /* of struct entry */
    char **error;
};

struct entry {
    struct symbol symbol;
    bool local;
    size_t length, line;
};

/* @line 0: the whole file */
static bool fail(const struct parser *p, size_t line, const char *what)
{
    if (!line) {
        *p->error = g_strdup_printf("%s: %s", p->path, what);
        return false;
    }
    *p->error = g_strdup_printf("%s:%zu: %s", p->path, line, what);
    return false;
}

static bool is_function(char type)
{
    return strchr("tTwW", type) != NULL;
}

/* Splits off the word at *@at, which ends at one of @ends or with the line */
static char *word(char **at, const char *ends)
{
    char *start = *at;

    *at += strcspn(start, ends);
    if (**at) {
        *(*at)++ = 0;
    }
    return start;
}

static bool parse_address(const char *text, uint32_t *address)
{
    guint64 value;

    if (strlen(text) != 8 ||
        !g_ascii_string_to_unsigned(text, 16, 0, UINT32_MAX, &value, NULL)) {
        return false;
    }
    *address = value;
    return true;
}

/* "[name]" without its brackets; NULL if it is something else */
static char *parse_module(char *text)
{
    size_t length = strlen(text);

    if (length < 3 || text[0] != '[' || text[length - 1] != ']') {
        return NULL;
    }
    text[length - 1] = 0;
    return text + 1;
}

static bool parse_line(struct parser *p, char *line, size_t number)
{
    struct entry e = { .line = number };
    char *address = word(&line, " "), *type = word(&line, " ");
    char *module;

    e.symbol.name = word(&line, "\t");
    module = line;
    if (!parse_address(address, &e.symbol.address) ||
        strlen(type) != 1 || !g_ascii_isalpha(type[0]) ||
        !e.symbol.name[0] || strlen(e.symbol.name) >= SYMBOL_MAX_NAME) {
        return fail(p, number, "not a line of /proc/kallsyms");
    }
    if (module[0]) {
        e.symbol.module = parse_module(module);
        if (!e.symbol.module) {
            return fail(p, number, "not a module's name in brackets");
        }
    }
    e.local = type[0] == 't';
    e.length = strlen(e.symbol.name);
    if (is_function(type[0]) && e.symbol.name[0] != '$') {
        g_array_append_val(p->found, e);
    }
    return true;
}

/* The line after the last BEGIN, or the first one if there is none */
static size_t first_line(char **lines, bool *framed)
{
    size_t first = 0;

    *framed = false;
    for (size_t i = 0; lines[i]; i++) {
        if (strcmp(lines[i], BEGIN) == 0) {
            first = i + 1;
            *framed = true;
        }
    }
    return first;
}

static bool check_end(const struct parser *p, const char *line, size_t number,
                      size_t lines)
{
    guint64 n;

    if (!g_ascii_string_to_unsigned(line + strlen(END), 10, 0, G_MAXUINT64,
                                    &n, NULL) || n != lines) {
        return fail(p, number, "lines were lost: the number after @end is "
                    "not the number of lines since @symbols");
    }
    return true;
}

static bool parse_lines(struct parser *p, char **lines)
{
    bool framed;
    size_t first = first_line(lines, &framed), i;

    for (i = first; lines[i]; i++) {
        if (framed && g_str_has_prefix(lines[i], END)) {
            return check_end(p, lines[i], i + 1, i - first);
        }
        if (!lines[i][0] && !lines[i + 1]) {
            break;              /* behind the last newline */
        }
        if (!parse_line(p, lines[i], i + 1)) {
            return false;
        }
    }
    return framed ? fail(p, 0, "the end is missing (no line @end)") : true;
}

static int by_address(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->symbol.address != y->symbol.address) {
        return x->symbol.address < y->symbol.address ? -1 : 1;
    }
    if (x->local != y->local) {
        return x->local ? 1 : -1;
    }
    if (x->length != y->length) {
        return x->length < y->length ? -1 : 1;
    }
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_name(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    if (order) {
        return order;
    }
    return x->address < y->address ? -1 : x->address > y->address;
}

static struct symbols *make_lists(GArray *found, char *text)
{
    struct symbols *s = g_new0(struct symbols, 1);
    struct entry *e = (struct entry *)found->data;

    qsort(e, found->len, sizeof(*e), by_address);
    s->text = text;
    s->list = g_new0(struct symbol, found->len);
    s->all = g_new0(struct symbol, found->len);
    for (size_t i = 0; i < found->len; i++) {
        s->all[s->n_all++] = e[i].symbol;
        if (!s->n || s->list[s->n - 1].address != e[i].symbol.address) {
            s->list[s->n++] = e[i].symbol;
        }
    }
    qsort(s->all, s->n_all, sizeof(*s->all), by_name);
    return s;
}

static bool all_zero(const GArray *found)
{
    for (size_t i = 0; i < found->len; i++) {
        if (g_array_index(found, struct entry, i).symbol.address) {
            return false;
        }
    }
    return true;
}

static bool parse(struct parser *p, char *text)
{
    size_t n = 0, i = 0;

    /* Views into the text, so that names live as long as it */
    for (const char *c = text; *c; c++) {
        n += *c == '\n';
    }
    g_autofree char **views = g_new0(char *, n + 2);
    for (char *c = text; c;) {
        char *end = strchr(c, '\n');

        views[i++] = c;
        if (end) {
            *end = 0;
            if (end > c && end[-1] == '\r') {
                end[-1] = 0;
            }
            end++;
        }
        c = end;
    }
    if (!parse_lines(p, views)) {
        return false;
    }
    if (!p->found->len) {
        return fail(p, 0, "no function in the whole file");
    }
    if (all_zero(p->found)) {
        return fail(p, 0, "all addresses are 0 (read it as root, with "
                    "kernel.kptr_restrict 0)");
    }
    return true;
}

static char *read_file(const char *path, char **error)
{
    GError *err = NULL;
    struct stat st;
    gsize length;
    char *text;

    if (stat(path, &st)) {
        *error = g_strdup_printf("%s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE) {
        *error = g_strdup_printf("%s: not a file of at most %u bytes", path,
                                 MAX_FILE);
        return NULL;
    }
    if (!g_file_get_contents(path, &text, &length, &err)) {
        *error = g_strdup_printf("%s: cannot be read", path);
        g_error_free(err);
        return NULL;
    }
    if (strlen(text) != length) {
        *error = g_strdup_printf("%s: has a zero byte at offset %zu", path,
                                 strlen(text));
        g_free(text);
        return NULL;
    }
    return text;
}

struct symbols *symbols_read(const char *path, char **error)
{
    g_autoptr(GArray) found = g_array_new(false, true, sizeof(struct entry));
    struct parser p = { .path = path, .found = found, .error = error };
    char *text = read_file(path, error);

    if (!text) {
        return NULL;
    }
    if (!parse(&p, text)) {
        g_free(text);
        return NULL;
    }
    return make_lists(found, text);
}

void symbols_free(struct symbols *s)
{
    if (s) {
        g_free(s->list);
        g_free(s->all);
        g_free(s->text);
        g_free(s);
    }
}

ptrdiff_t symbols_find(const struct symbols *s, uint32_t address)
{
    size_t low = 0, high = s->n;

    /* The first symbol above the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->list[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!low || address - s->list[low - 1].address >= SYMBOL_MAX_SIZE) {
        return -1;
    }
    return low - 1;
}

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, ((const struct symbol *)element)->name);
}

bool symbols_address(const struct symbols *s, const char *name,
                     uint32_t *address)
{
    const struct symbol *found = bsearch(name, s->all, s->n_all,
                                         sizeof(*s->all), compare_name);

    if (found) {
        *address = found->address;
    }
    return found != NULL;
}
