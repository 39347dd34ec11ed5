import Postgres
import TestSupport
import Testing

/// An app's statement fails for reasons of its own only: whatever stands in a row, no trigger of ours may raise.
@Suite(.heavy, .qualifiesReleases)
struct HostileStatementsTests {
  /// Rows that an app deletes with all that hangs on them.
  private static let parents = ["event_proposals", "feedbacks", "groups", "projects", "users"]

  @Test(arguments: HostileRowsTests.tables)
  func noTriggerFailsAStatement(table: String) async throws {
    let connection = try await HostileWorld().demo.connection
    // Made once: a new table would have each session plan its statements again.
    try await connection.script("CREATE TEMP TABLE kept (LIKE \(table)); \(Self.function)")
    let columns = try await HostileColumn.all(of: table, in: connection)
    let changes = columns.flatMap { column in column.values.map { "\"\(column.name)\" = \($0)" } }

    var taken = 0
    for change in changes {
      let tried = try await connection.query(
        """
        SELECT taken, failures FROM tried(\(table), \(columns.map(\.name) + ["id"])::text[], \(change), \(Self.parents)::text[])
        """
      ).only()
      let failures = try tried.decode("failures", as: [String].self)
      #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
      taken += try tried.decode("taken", as: Int.self)
    }
    #expect(taken > 5)
  }

  /// Changes the rows of a table in one way; then, each by itself, inserts them again, or deletes them or what they hang on.
  ///
  /// It counts what the table takes, and returns the failures in our functions: their names begin with `push_`. Nothing
  /// of it stays.
  private static let function = #"""
    CREATE FUNCTION tried(place text, names text[], change text, parents text[], OUT taken integer, OUT failures text[])
    LANGUAGE plpgsql AS $$
    DECLARE
      statement text;
      context text;
      list text := (SELECT string_agg(quote_ident(n), ', ') FROM unnest(names) AS n);
      statements text[] := ARRAY(
          SELECT format('DELETE FROM %I', t) FROM unnest(parents || place) AS t)
        || format('INSERT INTO kept TABLE %1$I; DELETE FROM %1$I; INSERT INTO %1$I (%2$s) SELECT %2$s FROM kept',
          place, list);
    BEGIN
      taken := 0;
      failures := ARRAY[]::text[];
      BEGIN
        statement := format('UPDATE %I SET %s', place, change);
        EXECUTE statement;
        FOREACH statement IN ARRAY statements LOOP
          BEGIN
            EXECUTE statement;
            taken := taken + 1;
            RAISE EXCEPTION USING ERRCODE = 'ZZ000';
          EXCEPTION
            WHEN SQLSTATE 'ZZ000' THEN NULL;
            WHEN OTHERS THEN
              GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
              IF context ~ 'function "?(\w+\.)?push_' THEN
                failures := failures || left(concat_ws(': ', change, statement, SQLERRM, context), 400);
              END IF;
          END;
        END LOOP;
        RAISE EXCEPTION USING ERRCODE = 'ZZ000';
      EXCEPTION
        WHEN SQLSTATE 'ZZ000' THEN NULL;
        WHEN OTHERS THEN
          GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
          IF context ~ 'function "?(\w+\.)?push_' THEN
            failures := failures || left(concat_ws(': ', statement, SQLERRM, context), 400);
          END IF;
      END;
    END $$
    """#
}
