import Foundation
import FunctionKit

extension BatchWorld {
  /// Subjects that were there before.
  mutating func addSubjects() {
    createFeedback(tells: false)
    if function == "status-changed" { for _ in 0..<random.number(0..<5) { vote(tells: false) } }
    if function == "action-completed" || random.percent(60) || proposals.isEmpty { addLockItIn() }
  }

  /// The maker of a row: the SDK's id, an address, and the person whom the event names.
  private mutating func author() -> (key: String, email: String?, claim: String?) {
    let person = person()
    switch random.number(0..<10) {
    case 0..<3: return ("sdk-\(random.number(0..<8))", nil, nil)
    case 3..<6: return (random.percent(50) ? person.id : person.id.uppercased(), nil, nil)
    case 6: return ("sdk-\(random.number(0..<8))", nil, random.percent(80) ? person.id : "nobody")
    case 7: return (random.id(), "gone@example.com", nil)
    default: return ("sdk of \(person.email)", person.email.uppercased(), nil)
    }
  }

  mutating func createFeedback(writes: Bool = true, tells: Bool = true) {
    var author = author()
    // Two people have many of the feedbacks.
    if random.percent(50) { author = (people[random.number(0..<2)].id, nil, author.claim) }
    let feedback = Feedback(
      id: random.id(), project: random.percent(focus) ? projects[0] : random.pick(projects), key: author.key,
      email: author.email, updatedAt: time)
    let record = insert(
      into: "feedbacks",
      [
        "id": feedback.id, "title": "Idea \(random.number(0..<6))", "user_id": author.key, "user_email": author.email,
        "project_id": feedback.project, "created_at": time, "updated_at": time,
      ], writes: writes)
    if writes { feedbacks.append(feedback) }
    if tells { tell("INSERT", "feedbacks", record, by: author.claim) }
  }

  /// Often one of the first few, so that much happens to it.
  private mutating func busyFeedback() -> Feedback {
    feedbacks[random.percent(focus) ? random.number(0..<min(3, feedbacks.count)) : random.number(0..<feedbacks.count)]
  }

  mutating func comment(writes: Bool) {
    let (feedback, author) = (busyFeedback(), author())
    let key = random.percent(20) ? feedback.key : random.percent(10) ? "admin" : author.key
    let record = insert(
      into: "comments",
      ["id": random.id(), "content": "Yes", "user_id": key, "feedback_id": feedback.id, "created_at": time],
      ["is_admin": "\(random.percent(15))"], writes: writes)
    tell("INSERT", "comments", record, by: author.claim)
  }

  mutating func vote(writes: Bool = true, tells: Bool = true) {
    let (feedback, author) = (busyFeedback(), author())
    let key = random.percent(10) ? feedback.key : author.key + (random.percent(60) ? " \(votes.count)" : "")
    guard votes.insert("\(feedback.id) \(key)").inserted else { return }
    let record = insert(
      into: "votes",
      [
        "id": random.id(), "user_id": key, "user_email": author.email, "feedback_id": feedback.id, "created_at": time,
      ], writes: writes)
    if tells { tell("INSERT", "votes", record, by: author.claim) }
  }

  mutating func changeStatus(writes: Bool) {
    let place = random.number(0..<feedbacks.count)
    let status = random.pick(["approved", "in_progress", "testflight", "completed", "rejected", "odd"])
    let old = feedbacks[place]
    var new = old
    // Now and then a status is written that it has already.
    if !random.percent(5) { new.status = status }
    if !random.percent(10) { new.updatedAt = time }
    if writes {
      feedbacks[place] = new
      write("UPDATE feedbacks SET status = '\(new.status)', updated_at = '\(new.updatedAt)' WHERE id = '\(new.id)'")
    } else {
      new = Feedback(id: random.id(), project: new.project, key: "gone", email: nil, status: status, updatedAt: time)
    }
    tell("UPDATE", "feedbacks", Self.row(new), old: Self.row(old), by: random.percent(30) ? person().id : nil)
  }

  private static func row(_ feedback: Feedback) -> String {
    #"{"id":"\#(feedback.id)","status":"\#(feedback.status)","updated_at":"\#(feedback.updatedAt)"}"#
  }
}
