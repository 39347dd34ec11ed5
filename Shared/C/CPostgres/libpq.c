// libpq, loaded when it is first called instead of when the process starts.
//
// Debian's libpq brings Kerberos, LDAP and GnuTLS with it, some 25 libraries: linked, they take five milliseconds of
// every start, also of one that only says its version or refuses a malformed event before it needs a database.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "CPostgres.h"

static void *find(const char *name) {
  // Opening it again only counts; the loader takes care of threads.
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : NULL;
  if (!function) {
    fprintf(stderr, "libpq cannot be used (apt-get install libpq5): %s\n", dlerror());
    _Exit(78);
  }
  return function;
}

// Two threads may both look a function up: they find, and store, the same address.
#define FORWARD(TYPE, NAME, PARAMETERS, ARGUMENTS)                                      \
  TYPE NAME PARAMETERS {                                                                \
    static TYPE(*volatile real) PARAMETERS;                                             \
    TYPE(*function) PARAMETERS = real;                                                  \
    if (!function) real = function = (TYPE(*) PARAMETERS)find(#NAME);                   \
    return function ARGUMENTS;                                                          \
  }

FORWARD(PGconn *, PQconnectdbParams, (const char *const *k, const char *const *v, int e), (k, v, e))
FORWARD(PGPing, PQpingParams, (const char *const *k, const char *const *v, int e), (k, v, e))
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *s, char **e), (s, e))
FORWARD(void, PQconninfoFree, (PQconninfoOption *o), (o))
FORWARD(void, PQreset, (PGconn *c), (c))
FORWARD(PGVerbosity, PQsetErrorVerbosity, (PGconn *c, PGVerbosity v), (c, v))
FORWARD(void, PQfinish, (PGconn *c), (c))
FORWARD(ConnStatusType, PQstatus, (const PGconn *c), (c))
FORWARD(PGTransactionStatusType, PQtransactionStatus, (const PGconn *c), (c))
FORWARD(char *, PQerrorMessage, (const PGconn *c), (c))
FORWARD(char *, PQhost, (const PGconn *c), (c))
FORWARD(int, PQbackendPID, (const PGconn *c), (c))
FORWARD(int, PQsocket, (const PGconn *c), (c))
FORWARD(int, PQsetnonblocking, (PGconn *c, int on), (c, on))
FORWARD(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *c, PQnoticeReceiver r, void *a), (c, r, a))
FORWARD(PGcancel *, PQgetCancel, (PGconn *c), (c))
FORWARD(void, PQfreeCancel, (PGcancel *c), (c))
FORWARD(int, PQcancel, (PGcancel *c, char *b, int n), (c, b, n))
FORWARD(int, PQconsumeInput, (PGconn *c), (c))
FORWARD(int, PQisBusy, (PGconn *c), (c))
FORWARD(int, PQflush, (PGconn *c), (c))
FORWARD(PGnotify *, PQnotifies, (PGconn *c), (c))
FORWARD(int, PQenterPipelineMode, (PGconn *c), (c))
FORWARD(int, PQexitPipelineMode, (PGconn *c), (c))
FORWARD(int, PQpipelineSync, (PGconn *c), (c))
FORWARD(int, PQsendQuery, (PGconn *c, const char *q), (c, q))
FORWARD(int, PQsendPrepare, (PGconn *c, const char *s, const char *q, int n, const Oid *t), (c, s, q, n, t))
FORWARD(
    int, PQsendQueryParams,
    (PGconn *c, const char *q, int n, const Oid *t, const char *const *v, const int *l, const int *f, int r),
    (c, q, n, t, v, l, f, r))
FORWARD(
    int, PQsendQueryPrepared,
    (PGconn *c, const char *s, int n, const char *const *v, const int *l, const int *f, int r), (c, s, n, v, l, f, r))
FORWARD(int, PQputCopyData, (PGconn *c, const char *b, int n), (c, b, n))
FORWARD(int, PQputCopyEnd, (PGconn *c, const char *e), (c, e))
FORWARD(PGresult *, PQgetResult, (PGconn *c), (c))
FORWARD(void, PQclear, (PGresult *r), (r))
FORWARD(void, PQfreemem, (void *p), (p))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *r), (r))
FORWARD(char *, PQresultErrorMessage, (const PGresult *r), (r))
FORWARD(char *, PQresultErrorField, (const PGresult *r, int f), (r, f))
FORWARD(char *, PQcmdStatus, (PGresult *r), (r))
FORWARD(char *, PQcmdTuples, (PGresult *r), (r))
FORWARD(int, PQntuples, (const PGresult *r), (r))
FORWARD(int, PQnfields, (const PGresult *r), (r))
FORWARD(char *, PQfname, (const PGresult *r, int f), (r, f))
FORWARD(int, PQfnumber, (const PGresult *r, const char *f), (r, f))
FORWARD(char *, PQgetvalue, (const PGresult *r, int t, int f), (r, t, f))
FORWARD(int, PQgetlength, (const PGresult *r, int t, int f), (r, t, f))
FORWARD(int, PQgetisnull, (const PGresult *r, int t, int f), (r, t, f))
