/// The SQL files beside this one.
enum Scripts {
  static let tables = String(decoding: PackageResources.tables_sql, as: UTF8.self)
  /// Needs the bundle's tables.
  static let people = String(decoding: PackageResources.people_sql, as: UTF8.self)
  static let recount = String(decoding: PackageResources.recount_sql, as: UTF8.self)
}
