import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// The notifications that a person's phone shows, and the states that they were told.
struct Phone {
  private var threads: [Key: Candidate.Shown] = [:]
  private var states: [Key: String] = [:]

  private struct Key: Hashable {
    let family: String
    let subject: String
  }

  /// The phones of people, by their ids, from what ``SQL/shown(_:in:at:)`` and ``SQL/states(_:in:)`` answer.
  static func phones(shown: Rows, states: Rows) throws -> [UUID: Phone] {
    var phones: [UUID: Phone] = [:]
    for row in shown {
      let key = Key(family: try row.decode("family"), subject: try row.decode("family_subject"))
      phones[try row.decode("user_id"), default: Phone()].threads[key] = try Candidate.Shown(row)
    }
    for row in states {
      let key = Key(family: try row.decode("family"), subject: try row.decode("subject_id"))
      phones[try row.decode("user_id"), default: Phone()].states[key] = row["state"]
    }
    return phones
  }

  /// What it shows of a notification's family and subject.
  func shown(_ part: Waiting) -> Candidate.Shown? {
    guard let family = part.kind.family, let subject = part.subjectID else { return nil }
    return threads[Key(family: family.rawValue, subject: subject)]?.continuing(family)
  }

  func state(_ part: Waiting) -> String? {
    part.kind.family.flatMap { states[Key(family: $0.rawValue, subject: part.candidate.subjectID)] }
  }
}
