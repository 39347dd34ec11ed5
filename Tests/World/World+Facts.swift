/// The facts that the words of a notification can name.
extension World {
  /// The name of a feedback's project.
  package func projectName(of feedback: Feedback) -> String {
    projects.firstIndex { $0.id == feedback.project.id }.map { "Project \($0)" } ?? ""
  }

  /// The name of a person; `nil` for nobody's id.
  package func name(of person: String?) -> String? { people.first { $0.id == person }?.name }
}

extension World.Feedback {
  package var title: String { row["title"] ?? "" }
}

extension World.Proposal {
  /// `nil` where it is hidden.
  package var publicTitle: String? { visibility == "shared_with_name" ? row["title"] : nil }
  /// The word of its column.
  package var visibility: String { row["visibility"] ?? "" }
  /// The name of its group.
  package var groupName: String { "Group \(group)" }
}

extension World.Request {
  package var id: String { row.id }
  /// The person who asks or invites.
  package var asker: String? { row["requester_id"] ?? row["inviter_id"] }
}
