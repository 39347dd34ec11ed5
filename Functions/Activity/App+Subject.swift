import API
import FoundationEssentials
import Notifications

extension App {
  /// The subject that a body names.
  func subject(in fields: Fields) throws(APIError) -> String? {
    try subject { name throws(APIError) in try fields.optional(name, .subject, besides: Self.subjectNames) }
  }

  /// The subject that a query names.
  func subject(inQueryOf request: APIRequest) throws(APIError) -> String? {
    try subject { name throws(APIError) in try request.parameter(name, .subject) }
  }

  private func subject(_ value: (String) throws(APIError) -> String?) throws(APIError) -> String? {
    var found: (name: String, subject: String)?
    for name in Self.subjectNames {
      guard let subject = try value(name) else { continue }
      if let found { throw .invalid("\(found.name) and \(name) cannot both be given.") }
      found = (name, subject)
    }
    return found.map { written($0.subject) }
  }

  /// What a subject is called, here and by the apps; each name does for each app.
  private static let subjectNames = [
    "subjectId", "feedbackId", "proposalId", "eventId", "friendRequestId", "groupId", "entityId", "entity_id",
    "visitId", "visit_id", "friendUserId", "friend_user_id", "conversationId", "activeConversationId",
  ]

  /// As `notifications.subject_id` has it: ids of our own tables in lower case, those of the apps as they are.
  private func written(_ subject: String) -> String {
    switch self {
    case .feedbackKit, .lockItIn: UUID(uuidString: subject)?.uuidString.lowercased() ?? subject
    case .repairMinder, .mugshot, .messageAI: subject
    }
  }
}

extension FieldRule where Value == String {
  fileprivate static var subject: FieldRule { .text(1...255) }
}
