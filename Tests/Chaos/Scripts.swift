import CChaos

/// The SQL files beside this one.
enum Scripts {
  static let tables = String(cString: shim_tables())
  /// Needs the bundle's tables.
  static let people = String(cString: shim_people())
  static let recount = String(cString: shim_recount())
}
