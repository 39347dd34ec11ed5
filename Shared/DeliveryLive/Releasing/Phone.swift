import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// The notifications on a person's phone, and the states that were reported last.
struct Phone {
  private var threads: [Key: Candidate.Shown] = [:]
  private var states: [Key: (notification: UUID, state: String?)] = [:]

  private struct Key: Hashable {
    let family: String
    let subject: String
  }

  /// People's phones by the people's ids, from the answers to ``SQL/shown(_:in:at:)`` and ``SQL/states(_:in:)``.
  static func phones(shown: Rows? = nil, states: Rows) throws -> [UUID: Phone] {
    var phones: [UUID: Phone] = [:]
    for row in shown.map(Array.init) ?? [] {
      let key = Key(family: try row.decode("family"), subject: try row.decode("family_subject"))
      phones[try row.decode("user_id"), default: Phone()].threads[key] = try Candidate.Shown(row)
    }
    for row in states {
      let key = Key(family: try row.decode("family"), subject: try row.decode("subject_id"))
      phones[try row.decode("user_id"), default: Phone()].states[key] = (try row.decode("id"), row["state"])
    }
    return phones
  }

  /// The shown push of a notification's family and subject.
  func shown(_ part: Waiting) -> Candidate.Shown? {
    guard let family = part.kind.family, let subject = part.subjectID else { return nil }
    return threads[Key(family: family.rawValue, subject: subject)]?.continuing(family)
  }

  /// The notification that told the person last what a notification repeats; `nil` if it tells a new state.
  func told(_ part: Waiting) -> UUID? {
    guard let family = part.kind.family, let state = part.state else { return nil }
    let last = states[Key(family: family.rawValue, subject: part.candidate.subjectID)]
    return last?.state == state ? last?.notification : nil
  }
}
