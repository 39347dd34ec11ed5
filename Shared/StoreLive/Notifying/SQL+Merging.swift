package import FoundationEssentials
package import Postgres

extension SQL {
  /// Merges notifications into others, each with all that was merged into it before.
  package static func merge(_ merged: [(UUID, UUID)], at now: Date) -> [SQL] {
    let pairs: SQL = "unnest(\(merged.map(\.0)), \(merged.map(\.1))) AS i (id, other)"
    return [
      "UPDATE notifications n SET merged_into = i.other FROM \(pairs) WHERE n.merged_into = i.id",
      """
      UPDATE notifications n
      SET merged_into = i.other, is_archived = true, counts_for_badge = false, window_ends_at = NULL, updated_at = \(now)
      FROM \(pairs) WHERE n.id = i.id
      """,
    ]
  }
}
