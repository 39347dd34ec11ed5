import Documents
import FoundationEssentials
import FunctionKit
import Postgres

/// The rows of the bundle's tables that an event and its people lead to by foreign keys.
///
/// They are those that the ids in the event name, what these refer to, and what refers to these. Rows that came after the
/// decision are left out; all others are as they are now.
struct FixtureRows {
  /// The most rows of a table that refer to one row, the first ones to matter first: to a row that the event leads to, and
  /// to a person who was not decided about; and the most of all.
  private static let (mostOfEvent, mostOfOther, most) = (100, 20, 5_000)
  /// How far back earlier pushes count.
  private static let memory: TimeInterval = 86_400
  /// Tables whose rows change by what becomes of a notification.
  private static let histories: Set = ["notifications", "deliveries"]

  private typealias Key = [String]

  private let database: Connection
  private let catalog: FixtureCatalog
  private let function: String
  /// The names that the event has, to which a part's name may be added.
  private let events: Set<String>
  private let at: Date
  /// Each row by its text.
  private var rows: [String: [String: RawJSON]] = [:]
  /// Why a decision may come out otherwise although functions decide as before.
  private(set) var doubts: [ReplayDoubt] = []

  init(_ database: Connection, _ catalog: FixtureCatalog, of function: String, events: Set<String>, at: Date) {
    (self.database, self.catalog, self.function, self.events, self.at) = (database, catalog, function, events, at)
  }

  /// All of them, by the names of their tables.
  ///
  /// - Parameter ids: what the event and its decisions name.
  mutating func collect(_ ids: [String]) async throws -> [(table: String, rows: [RawJSON])] {
    for (name, table) in catalog.tables.sorted(by: { $0.key < $1.key }) where table.hasID {
      let key = table.key[0]
      let found = try await database.query(
        """
        SELECT to_jsonb(r)::text AS found FROM (
          SELECT \(columns(of: table)) FROM public.\(identifier: name) t WHERE t.\(identifier: key) = ANY (\(ids)::uuid[])
        ) r
        """
      ).map(Self.row)
      take(found, of: name)
    }
    try await takeParents(of: nil)
    try await takeAllChildren(of: rows, most: Self.mostOfEvent)
    if let people = catalog.people {
      let decided = rows[people] ?? [:]
      try await takeParents(of: people)
      // Somebody may have been left out because of a vote, or of a push that they have got.
      let others = (rows[people] ?? [:]).filter { decided[$0.key] == nil }
      try await takeAllChildren(of: [people: others], most: Self.mostOfOther)
    }
    let count = rows.values.reduce(0) { $0 + $1.count }
    guard count <= Self.most else {
      throw FunctionError(.usage, "The event leads to \(count) rows: a test has \(Self.most) at most.")
    }
    return rows.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.sorted { $0.key < $1.key }.map(\.value)) }
  }

  /// Takes what the rows refer to, and what that refers to.
  ///
  /// - Parameter table: takes rows of this one only.
  private mutating func takeParents(of table: String?) async throws {
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for link in catalog.links where table == nil || link.parent == table {
        let missing = keys(link.columns, in: rows[link.table]).subtracting(keys(link.keys, in: rows[link.parent]))
        guard !missing.isEmpty else { continue }
        let found = try await find(missing, link.keys, link, in: link.parent, most: 1, isChild: false)
        isGrowing = take(found, of: link.parent) || isGrowing
      }
    }
  }

  /// Takes what refers to some rows, and what refers to that.
  private mutating func takeAllChildren(of parents: [String: [String: RawJSON]], most: Int) async throws {
    let children = try await takeChildren(of: parents, most: most) { _ in true }
    let people = catalog.people
    _ = try await takeChildren(of: children, most: most) { $0.parent != people }
  }

  /// Takes what refers to some rows, unless it has to refer to others that are missing, besides people.
  ///
  /// - Returns: the tables that have more rows than before.
  private mutating func takeChildren(
    of parents: [String: [String: RawJSON]], most: Int, by isChosen: (FixtureCatalog.Link) -> Bool
  ) async throws -> [String: [String: RawJSON]] {
    let before = rows.mapValues(\.count)
    for link in catalog.links where isChosen(link) && !catalog.things.contains(link.table) {
      let parents = keys(link.keys, in: parents[link.parent])
      guard !parents.isEmpty else { continue }
      let all = try await find(parents, link.columns, link, in: link.table, most: most, isChild: true)
      note(all, of: link, most: most)
      // What the event itself changed has a time just before that of its decisions.
      let found = all.filter { row in Self.time(row["changed_at"]).map { $0 < at.addingTimeInterval(-1) } ?? true }
      if found.count < all.count { doubt(ReplayDoubt("\(link.table) has changed since")) }
      let others = catalog.links.filter { $0.table == link.table && $0.parent != catalog.people && $0.isRequired }
      for row in found {
        let isWhole = others.allSatisfy { other in
          Self.key(other.columns, of: row).map { keys(other.keys, in: rows[other.parent]).contains($0) } ?? true
        }
        if isWhole { take(row, of: link.table) }
      }
    }
    return rows.filter { before[$0.key] != $0.value.count }
  }

  /// Notes that there are more rows than were taken, unless those that are left out are too old to count.
  private mutating func note(_ found: [RawJSON], of link: FixtureCatalog.Link, most: Int) {
    let isCut = Dictionary(grouping: found) { Self.key(link.columns, of: $0) ?? [] }.values.contains { rows in
      guard rows.count > most else { return false }
      let oldest = rows.compactMap { Self.time($0["created_at"]) }.min()
      return oldest.map { $0 > at.addingTimeInterval(-Self.memory) } ?? true
    }
    if isCut { doubt(ReplayDoubt("there are more rows of \(link.table) than a test has")) }
  }

  /// Finds rows by the values of their columns: for each key at most one more than the limit, or one if they are parents.
  private func find(
    _ keys: Set<Key>, _ columns: [String], _ link: FixtureCatalog.Link, in name: String, most: Int, isChild: Bool
  ) async throws -> [RawJSON] {
    guard let table = catalog.tables[name] else { return [] }
    let keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
    var (values, condition): (SQL, SQL) = ("", "true")
    for (place, column) in columns.enumerated() {
      let column: SQL = "t.\(identifier: column) = key.\(identifier: "k\(place)")"
      values += place == 0 ? "" : ", "
      values += "\(keys.map { $0[place] })::text[]::\(unescaped: link.types[place])[]"
      condition += " AND \(column)"
    }
    let names = columns.indices.map { SQL("\(identifier: "k\($0)")") }.joined()
    var order: SQL = ""
    if isChild {
      if table.times.contains("created_at") {
        condition += " AND (t.created_at IS NULL OR t.created_at <= \(at))"
      }
      var places: [SQL] = []
      if table.times.contains("pushed_at") {
        places.append("(t.pushed_at > \(at.addingTimeInterval(-3_600))) DESC NULLS LAST")
      }
      if table.columns.contains("is_active") { places.append("t.is_active DESC NULLS LAST") }
      if table.times.contains("created_at") { places.append("t.created_at DESC NULLS LAST") }
      places += table.key.map { "t.\(identifier: $0)" }
      if !places.isEmpty { order = "ORDER BY \(places.joined())" }
    }
    return try await database.query(
      """
      SELECT to_jsonb(r)::text AS found FROM unnest(\(values)) AS key (\(names)) CROSS JOIN LATERAL (
        SELECT \(self.columns(of: table)) FROM public.\(identifier: name) t WHERE \(condition) \(order) LIMIT \(most + 1)
      ) r
      """
    ).map(Self.row)
  }

  private func columns(of table: FixtureCatalog.Table) -> SQL {
    table.columns.map { SQL("t.\(identifier: $0)") }.joined()
  }

  private func keys(_ columns: [String], in rows: [String: RawJSON]?) -> Set<Key> {
    Set((rows ?? [:]).values.compactMap { Self.key(columns, of: $0) })
  }

  /// The values of a row's columns; `nil` if one is null.
  private static func key(_ columns: [String], of row: RawJSON) -> Key? {
    let values = columns.compactMap { text(row[$0]) }
    return values.count == columns.count ? values : nil
  }

  private static func text(_ value: RawJSON?) -> String? {
    value.flatMap { $0.kind == .null ? nil : $0.stringValue ?? $0.printable }
  }

  private static func time(_ value: RawJSON?) -> Date? { value?.stringValue.flatMap(RFC3339.date) }

  private static func row(_ row: Row) throws(PostgresError) -> RawJSON {
    RawJSON(trusting: Array(try row.decode("found", as: String.self).utf8))
  }

  @discardableResult
  private mutating func take(_ found: [RawJSON], of table: String) -> Bool {
    var isNew = false
    for row in found { isNew = take(row, of: table) || isNew }
    return isNew
  }

  /// Takes a row as it was, as far as that is known, unless it came of the event.
  @discardableResult
  private mutating func take(_ row: RawJSON, of table: String) -> Bool {
    guard !isOfEvent(row, table) else { return false }
    if let changed = Self.time(row["updated_at"]), changed > at.addingTimeInterval(1), !Self.histories.contains(table) {
      doubt(ReplayDoubt("\(table) has changed since", of: person(of: row, table)))
    }
    let isLater = Self.time(row["pushed_at"]).map { $0 > at } ?? false
    let then = isLater ? row.with("pushed_at", RawJSON(trusting: Array("null".utf8))) : row
    return rows[table, default: [:]].updateValue(then, forKey: then.printable) == nil
  }

  private func isOfEvent(_ row: RawJSON, _ table: String) -> Bool {
    let isOther = row["function"]?.stringValue.map { $0 != function } ?? false
    return !isOther
      && (catalog.tables[table]?.events ?? []).contains { column in
        guard let cause = row[column]?.stringValue else { return false }
        return events.contains { cause == $0 || cause.hasPrefix("\($0)/") }
      }
  }

  /// Whom a row is about; `nil` if it is about a thing.
  private func person(of row: RawJSON, _ table: String) -> RowID? {
    guard !catalog.things.contains(table), let people = catalog.people else { return nil }
    let link = catalog.links.first { $0.table == table && $0.parent == people && $0.columns.count == 1 }
    let column = table == people ? catalog.tables[table]?.key.first : link?.columns.first
    return Self.text(row[column ?? ""]).flatMap { UUID(uuidString: $0) }.map { RowID(uuid: $0) }
  }

  private mutating func doubt(_ doubt: ReplayDoubt) {
    if !doubts.contains(doubt) { doubts.append(doubt) }
  }
}

extension [SQL] {
  fileprivate func joined() -> SQL { dropFirst().reduce(first ?? "") { $0 + ", " + $1 } }
}

extension RawJSON {
  /// The same object with another value of a member.
  fileprivate func with(_ name: String, _ value: RawJSON) -> RawJSON {
    RawJSON(object: members.map { ($0.name, $0.name == name ? value : $0.value) })
  }
}
