import API
import Formats
import FoundationEssentials
import Notifications

extension App {
  func subject(in fields: Fields) throws(APIError) -> String? {
    try subject { name throws(APIError) in try fields.optional(name, .subject, besides: Self.subjectNames) }
  }

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

  /// The names of a subject, here and in the apps; every app may use every name.
  private static let subjectNames = [
    "subjectId", "feedbackId", "proposalId", "eventId", "friendRequestId", "groupId", "entityId", "entity_id",
    "visitId", "visit_id", "friendUserId", "friend_user_id", "conversationId", "activeConversationId",
  ]

  /// The form of `notifications.subject_id`: ids of our own tables in lower case, ids of the apps unchanged.
  private func written(_ subject: String) -> String {
    profile.hasOwnTables ? UUID(uuidString: subject)?.lowercased ?? subject : subject
  }
}

extension FieldRule where Value == String {
  fileprivate static var subject: FieldRule { .text(1...255) }
}
