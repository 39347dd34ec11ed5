import Manifest
import Postgres

/// A check of an app's table, or a column, that keeps out what functions write.
struct UnfitCheck {
  let sentence: String
  /// The calls that fail by it, where nothing but calls writes that: an app may never make them.
  var calls: [String] = []
  /// The sentence with the calls.
  var note: String {
    calls.isEmpty ? sentence : "A call of \(calls.joined(separator: " or ")) may fail: \(sentence)"
  }
}

/// Rows that functions write into tables which an app has made itself, and that the checks of those keep out.
///
/// Each check is asked about each row: nothing is written. About a change it is asked where it looks at nothing else.
struct UnfitChecks<Database: SQLExecutor> {
  let database: Database
  let rows: [WrittenRow]

  /// A column of a table.
  private struct Column {
    let name: String
    /// The type in SQL; of a domain, the one that it is made of.
    let type: String
    /// How many letters it takes, if that is limited.
    let limit: Int?
    /// The value that it has in a row that leaves it out, in SQL.
    let value: String
  }

  /// A check of a table, or of a domain that one of its columns is of.
  private struct Check {
    let name: String
    let expression: String
    /// The columns that it looks at.
    let columns: [String]
    /// Whether it looks at the row as a whole.
    let isOfRow: Bool
    let isDomain: Bool

    func isAbout(_ row: WrittenRow) -> Bool {
      !row.isChange || !isOfRow && !columns.isEmpty && columns.allSatisfy { row.values[$0] != nil }
    }
  }

  /// All that checks can tell one row from another by.
  private struct Question: Hashable {
    let (values, others): ([String?], [String?])
    /// Whether each check is about it.
    let checks: [Bool]

    init(_ row: WrittenRow, _ columns: [Column], _ checks: [Check]) {
      values = columns.map { row.values[$0.name] }
      others = columns.map { row.others[$0.name] }
      self.checks = checks.map { $0.isAbout(row) }
    }
  }

  /// A sentence for each check and each column, with the statement that mends it.
  func lines() async throws(PostgresError) -> [UnfitCheck] {
    var lines: [UnfitCheck] = []
    for (table, rows) in Dictionary(grouping: rows, by: \.table).sorted(by: { $0.key < $1.key }) {
      let rows = rows.filter(\.calls.isEmpty) + rows.filter { !$0.calls.isEmpty }
      let columns = try await columns(of: table)
      guard !columns.isEmpty else { continue }
      let short = Self.short(columns, for: rows)
      lines += short
      guard !short.contains(where: \.calls.isEmpty) else { continue }
      let own = rows.filter(\.calls.isEmpty)
      var found: [UnfitCheck] = []
      // An error of what only calls write is not one of the rest; and what is cut off says nothing about a check.
      for asked in short.isEmpty && own.count < rows.count ? [own, rows] : [own] {
        do throws(PostgresError) { found = try await refusals(of: table, columns, asked) } catch {
          guard error.sqlState != nil else { throw error }
          let isLate = ["57014", "55P03"].contains(error.sqlState)
          let problem = isLate ? "could not be asked in time about" : "cannot be asked about"
          let sentence = "\(table) has a check that \(problem) what functions write (\(error)): "
          let mending = isLate ? "ask it again later" : asked == own ? "drop it" : "drop it, or widen the column's type"
          found.append(UnfitCheck(sentence: sentence + mending, calls: Set(asked.flatMap(\.calls)).sorted()))
          if asked == own { return lines + found }
        }
      }
      lines += found
    }
    return lines
  }

  private static func short(_ columns: [Column], for rows: [WrittenRow]) -> [UnfitCheck] {
    columns.compactMap { column in
      guard let limit = column.limit else { return nil }
      let long = rows.filter { ($0.values[column.name]?.count ?? 0) > limit }
      guard let first = long.first else { return nil }
      let longest = long.compactMap { $0.values[column.name]?.count }.max() ?? limit
      return UnfitCheck(
        sentence: """
          \(first.table).\(column.name) has \(limit) letters at most, and functions write \(longest): \
          ALTER TABLE \(first.table) ALTER COLUMN \(quoted(column.name)) TYPE text;
          """, calls: first.calls)
    }
  }

  private func refusals(
    of table: String, _ columns: [Column], _ rows: [WrittenRow]
  ) async throws(PostgresError) -> [UnfitCheck] {
    let checks = try await checks(of: table)
    guard !checks.isEmpty, !rows.isEmpty else { return [] }
    let looked = columns.filter { column in
      checks.contains { $0.isOfRow || $0.columns.contains(column.name) }
    }
    let questions = rows.map { Question($0, looked, checks) }
    // The other columns have to take what is written, too.
    var query: SQL = "WITH written AS (SELECT \(Self.written(rows, columns)))\n"
    var numbers: [Question: Int] = [:]
    for (row, question) in zip(rows, questions) where numbers[question] == nil {
      let number = numbers.count
      numbers[question] = number
      if number > 0 { query += "\nUNION ALL " }
      let wrong = checks.map { $0.isAbout(row) ? "(\($0.expression)) IS FALSE" : "false" }.joined(separator: ", ")
      query += """
        SELECT \(number)::integer AS number, ARRAY[\(unescaped: wrong)] AS wrong
        FROM (SELECT \(Self.values(of: row, looked, checks))) AS \(identifier: table)
        """
    }
    let answers = try await database.query(query + "\nORDER BY number").decode("wrong", as: [Bool].self)
    var refused: [Int: (row: WrittenRow, values: [String])] = [:]
    // What functions do on their own comes first.
    for (row, question) in zip(rows, questions) {
      guard let number = numbers[question] else { continue }
      let value = row.values[row.key] ?? ""
      for (place, isWrong) in answers[number].enumerated() where isWrong {
        // One statement mends a check, by one column: what else it keeps out is found afterwards.
        let (first, values) = refused[place] ?? (row, [])
        if first.key == row.key, !values.contains(value) { refused[place] = (first, values + [value]) }
      }
    }
    return checks.enumerated().compactMap { place, check in
      refused[place].map { row, values in
        UnfitCheck(
          sentence: Self.line(of: check, in: table, columns, keepingOut: values, of: row.key), calls: row.calls)
      }
    }
  }

  /// Each value that rows give a column, as the column's type: nothing looks at it, but one that is none is an error.
  private static func written(_ rows: [WrittenRow], _ columns: [Column]) -> SQL {
    var list: SQL = "true"
    for column in columns {
      let values = rows.flatMap { [$0.values[column.name], $0.others[column.name]].compactMap(\.self) }
      for value in Set(values).sorted() { list += ", CAST(\(value) AS \(unescaped: column.type))" }
    }
    return list
  }

  /// The columns of a row, each with its value.
  private static func values(of row: WrittenRow, _ columns: [Column], _ checks: [Check]) -> SQL {
    var list: SQL = ""
    for (number, column) in columns.enumerated() {
      if number > 0 { list += ", " }
      guard let value = row.values[column.name] else {
        list += "\(unescaped: column.value) AS \(identifier: column.name)"
        continue
      }
      let own: SQL = "CAST(\(value) AS \(unescaped: column.type))"
      guard let other = row.others[column.name] else {
        list += "\(own) AS \(identifier: column.name)"
        continue
      }
      let allowed = checks.filter { $0.columns == [column.name] && !$0.isOfRow }
        .map { "(\($0.expression)) IS NOT FALSE" }
      list += """
        (SELECT CASE WHEN \(unescaped: (["true"] + allowed).joined(separator: " AND ")) THEN \(identifier: column.name)
          ELSE CAST(\(other) AS \(unescaped: column.type)) END
        FROM (SELECT \(own) AS \(identifier: column.name)) AS \(identifier: row.table)) AS \(identifier: column.name)
        """
    }
    return list
  }

  private static func line(
    of check: Check, in table: String, _ columns: [Column], keepingOut values: [String], of key: String
  ) -> String {
    let said = "keeps out what functions write (\(key) \(values.joined(separator: ", ")))"
    if check.isDomain, let column = columns.first(where: { [$0.name] == check.columns }) {
      return """
        \(table).\(column.name) has a type whose check \(check.name) \(said): \
        ALTER TABLE \(table) ALTER COLUMN \(quoted(column.name)) TYPE \(column.type);
        """
    }
    let name = quoted(check.name)
    return """
      \(table) has a check \(check.name) that \(said): ALTER TABLE \(table) DROP CONSTRAINT \(name), ADD CONSTRAINT \(name) \
      CHECK ((\(check.expression)) OR \(quoted(key)) IN (\(values.map(literal).joined(separator: ", ")))) NOT VALID;
      """
  }

  // What functions leave out has its default, unless that does something. Where there must be a value, a trigger of the
  // migrations gives the empty one of the type; what names another row or is unique may be NULL.
  private func columns(of table: String) async throws(PostgresError) -> [Column] {
    let rows = try await database.query(
      """
      SELECT a.attname::text AS name, format_type(b.oid, v.modifier) AS type,
        CASE WHEN b.typcategory = 'S' AND v.modifier > 4 THEN v.modifier - 4 END AS letters,
        format('CAST(%s AS %s)', coalesce(CASE
          -- Each row names its person.
          WHEN a.attname = 'user_id' AND b.typname = 'uuid' THEN 'gen_random_uuid()'
          WHEN a.atthasdef AND a.attgenerated = '' THEN CASE WHEN NOT EXISTS (
              SELECT FROM pg_depend AS x WHERE x.classid = 'pg_attrdef'::regclass AND x.objid = d.oid
                AND (x.refclassid = 'pg_proc'::regclass OR x.refclassid = 'pg_class'::regclass AND x.refobjid <> a.attrelid))
            AND pg_get_expr(d.adbin, d.adrelid) !~ '\\mnextval\\M' THEN pg_get_expr(d.adbin, d.adrelid) END
          WHEN NOT a.attnotnull OR a.attidentity <> '' OR a.attgenerated <> '' THEN NULL
          WHEN b.typname IN ('json', 'jsonb') THEN '''{}'''
          WHEN EXISTS (
            SELECT FROM pg_constraint AS f WHERE f.conrelid = a.attrelid AND f.contype = 'f' AND a.attnum = ANY (f.conkey))
            OR EXISTS (
              SELECT FROM pg_index AS i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey)) THEN NULL
          WHEN b.typtype = 'e' THEN (
            SELECT quote_literal(e.enumlabel) FROM pg_enum AS e WHERE e.enumtypid = b.oid ORDER BY e.enumsortorder LIMIT 1)
          ELSE CASE b.typcategory
            WHEN 'S' THEN '''''' WHEN 'B' THEN 'false' WHEN 'N' THEN '0' WHEN 'A' THEN '''{}''' WHEN 'D' THEN 'now()'
            WHEN 'T' THEN '''0''' END
        END, 'NULL'), format_type(b.oid, v.modifier)) AS value
      FROM pg_class AS c
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type AS t ON t.oid = a.atttypid
      JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
      CROSS JOIN LATERAL (SELECT CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END AS modifier) AS v
      LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.oid = to_regclass(\(table)) AND c.relkind IN ('r', 'p')
      ORDER BY a.attnum
      """)
    return try rows.map { row throws(PostgresError) in
      Column(
        name: try row.decode("name"), type: try row.decode("type"), limit: try row.optional("letters"),
        value: try row.decode("value"))
    }
  }

  // In a domain's check, VALUE stands for the column; between quotes it is a word of the app's.
  private func checks(of table: String) async throws(PostgresError) -> [Check] {
    let rows = try await database.query(
      """
      SELECT k.conname::text AS name, pg_get_expr(k.conbin, k.conrelid) AS expression, false AS is_domain,
        coalesce(0 = ANY (k.conkey), false) AS is_of_row,
        ARRAY(SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) AS cols
      FROM pg_constraint AS k WHERE k.conrelid = to_regclass(\(table)) AND k.contype = 'c'
      UNION ALL
      SELECT k.conname::text, (
          SELECT string_agg(CASE WHEN p.number % 2 = 1
            THEN regexp_replace(p.part, '\\mVALUE\\M', quote_ident(a.attname), 'g') ELSE p.part END, '''' ORDER BY p.number)
          FROM regexp_split_to_table(pg_get_expr(k.conbin, 0), '''') WITH ORDINALITY AS p (part, number)
        ), true, false, ARRAY[a.attname::text]
      FROM pg_attribute AS a JOIN pg_constraint AS k ON k.contypid = a.atttypid AND k.contype = 'c'
      WHERE a.attrelid = to_regclass(\(table)) AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY 3, 1
      """)
    return try rows.map { row throws(PostgresError) in
      Check(
        name: try row.decode("name"), expression: try row.decode("expression"), columns: try row.decode("cols"),
        isOfRow: try row.decode("is_of_row"), isDomain: try row.decode("is_domain"))
    }
  }
}
