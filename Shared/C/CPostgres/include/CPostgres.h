#pragma once

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
#include <sys/eventfd.h>  // not part of the Glibc module

// Character macros are not imported into Swift.
static const int shim_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int shim_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int shim_diag_message = PG_DIAG_MESSAGE_PRIMARY;
static const int shim_diag_detail = PG_DIAG_MESSAGE_DETAIL;
static const int shim_diag_hint = PG_DIAG_MESSAGE_HINT;
static const int shim_diag_context = PG_DIAG_CONTEXT;
static const int shim_diag_position = PG_DIAG_STATEMENT_POSITION;
static const int shim_diag_table = PG_DIAG_TABLE_NAME;
static const int shim_diag_column = PG_DIAG_COLUMN_NAME;
static const int shim_diag_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int shim_diag_source_function = PG_DIAG_SOURCE_FUNCTION;
