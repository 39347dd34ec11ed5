/// Ids of one partition that were seen, and whose events were left in the database because there was no room for them.
struct Backlog: Equatable, Sendable {
  /// Everything up to this id is in memory or has ended.
  var after: Int64
  /// The highest one that was left.
  var through: Int64

  /// Whether nothing is left.
  var isEmpty: Bool { through <= after }
}
