import TestSupport

extension World {
  /// The maker of a row, and what the row and its event say of them.
  struct Author: Sendable {
    let key: String
    var email: String?
    /// The person whom the event names; `nobody` is none.
    var claim: String?
    /// The person whom the row itself names.
    var account: String?
    /// The person whose act it is, as far as that can be known.
    var actor: String? { claim == "nobody" ? account : claim ?? account }
  }

  private mutating func author(withEmail hasEmail: Bool = true) -> Author {
    let person = person()
    switch random.number(0..<(hasEmail ? 10 : 8)) {
    case 0..<3: return Author(key: "sdk-\(random.number(0..<8))")
    case 3..<6: return Author(key: random.percent(50) ? person.id : person.id.uppercased(), account: person.id)
    case 6: return Author(key: "sdk-\(random.number(0..<8))", claim: random.percent(80) ? person.id : "nobody")
    case 7: return Author(key: random.id(), email: hasEmail ? "gone@example.com" : nil)
    default: return Author(key: "sdk of \(person.name)", email: person.email.uppercased(), account: person.id)
    }
  }

  mutating func createFeedback() -> [Act] {
    var author = author()
    // Two people have many of the feedbacks.
    if random.percent(50) {
      let person = people[random.number(0..<2)].id
      author = Author(key: person, claim: author.claim, account: person)
    }
    let project = random.percent(habits.focus) ? projects[0] : random.pick(projects)
    let row = Row(
      "feedbacks",
      [
        "id": random.id(), "title": "Idea \(random.number(0..<6))", "user_id": author.key, "user_email": author.email,
        "project_id": project.id, "status": "pending", "created_at": time, "updated_at": time,
      ])
    feedbacks.append(Feedback(row: row, project: project, author: author))
    let event = Event("feedback-created", row, by: author.claim)
    return [Act([row.insertion], event, by: author.actor, to: project.people)]
  }

  mutating func comment() -> [Act] {
    guard let (about, author) = post(withEmail: false) else { return [] }
    let key = random.percent(10) ? "admin" : author.key
    let row = Row(
      "comments",
      ["id": random.id(), "content": "Yes", "user_id": key, "feedback_id": about.id, "created_at": time],
      ["is_admin": "\(random.percent(15))"])
    posts.append(Post(row: row, feedback: about.id, author: author))
    let submitter = about.author.account
    return [
      Act(
        [row.insertion], Event("comment-added", row, by: author.claim),
        by: actor(of: key == author.key ? author : Author(key: key, claim: author.claim), about),
        to: about.project.people + [submitter])
    ]
  }

  mutating func vote() -> [Act] {
    guard case (let about, var author)? = post() else { return [] }
    let isTaken = posts.contains {
      $0.row.table == "votes" && $0.feedback == about.id && $0.row["user_id"] == author.key
    }
    if isTaken { author = Author(key: "\(author.key) \(random.next())", claim: author.claim) }
    let row = Row(
      "votes",
      [
        "id": random.id(), "user_id": author.key, "user_email": author.email, "feedback_id": about.id,
        "created_at": time,
      ])
    posts.append(Post(row: row, feedback: about.id, author: author))
    return [
      Act(
        [row.insertion], Event("vote-cast", row, by: author.claim), by: actor(of: author, about),
        to: [about.author.account])
    ]
  }

  /// A feedback that gets something, and who gives it; often that is its submitter.
  private mutating func post(withEmail hasEmail: Bool = true) -> (Feedback, Author)? {
    guard !feedbacks.isEmpty else { return nil }
    let about = feedbacks[place(among: feedbacks.count)]
    let author = author(withEmail: hasEmail)
    guard random.percent(hasEmail ? 10 : 20) else { return (about, author) }
    return (about, Author(key: about.author.key, email: about.author.email, account: about.author.account))
  }

  private func actor(of author: Author, _ about: Feedback) -> String? {
    author.actor ?? (author.key == about.author.key ? about.author.account : nil)
  }

  /// People take some of their votes and comments back; nobody is told of that.
  mutating func takeBack() -> [Act] {
    guard !feedbacks.isEmpty else { return [] }
    let about = feedbacks[place(among: feedbacks.count)].id
    let gone = posts.filter { $0.feedback == about && random.percent(30) }.map(\.row)
    posts.removeAll { post in gone.contains { $0.id == post.row.id } }
    return [Act(gone.map { "DELETE FROM \($0.table) WHERE id = '\($0.id)'" })]
  }

  mutating func changeStatus() -> [Act] {
    guard !feedbacks.isEmpty else { return [] }
    let place = place(among: feedbacks.count)
    let old = feedbacks[place].status
    // Now and then a status is written that it has already, or it goes back to the one before.
    let others = ["approved", "in_progress", "testflight", "completed", "rejected", "odd"]
    let status =
      switch random.number(0..<100) {
      case 0..<5: old
      case 5..<25: feedbacks[place].formerStatus ?? old
      default: random.pick(others)
      }
    // Somebody may try one, and take it back at once.
    let tried = random.percent(25) ? [random.pick(others)] : []
    return (tried + [status]).map { change(place, to: $0) }
  }

  private mutating func change(_ place: Int, to status: String) -> Act {
    let old = feedbacks[place]
    let statement = feedbacks[place].row.set([
      "status": status, "updated_at": random.percent(10) ? old.row["updated_at"] : time,
    ])
    let isNew = status != old.status
    if isNew { (feedbacks[place].statusSince, feedbacks[place].formerStatus) = (clock, old.status) }
    let claim = random.percent(40) ? person().id : nil
    let voters = posts.filter { $0.row.table == "votes" && $0.feedback == old.id }.map(\.author.account)
    return Act(
      [statement], Event("status-changed", feedbacks[place].row, from: old.row, by: claim), by: claim,
      to: isNew ? [old.author.account] + voters : [])
  }
}
