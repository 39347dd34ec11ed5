package import FoundationEssentials
package import Postgres

extension SQL {
  /// Merges notifications into others, each with all that was merged into it before: `push_parts` follows the chain.
  package static func merge(_ merged: [(old: UUID, new: UUID, time: Date)]) -> [SQL] {
    let pairs: SQL = .rows(
      "i", ["id": "\(merged.map(\.old))", "other": "\(merged.map(\.new))", "now": "\(merged.map(\.time))"])
    return [
      """
      UPDATE notifications n
      SET merged_into = i.other, is_archived = true, counts_for_badge = false, window_ends_at = NULL, updated_at = i.now
      FROM \(pairs) WHERE n.id = i.id
      """
    ]
  }
}
