import FunctionKit

extension Fault.Rule {
  /// Reads the body of `POST /faults`.
  ///
  /// - Throws: a sentence that names the field.
  init(_ json: RawJSON) throws(BadRequest) {
    try json.checkMembers([
      "answer", "tokens", "service", "topic", "pushType", "percent", "seed", "after", "times", "perToken", "id",
      "matched", "fired",
    ])
    guard let answer = json.field("answer") else { throw BadRequest("answer is missing: what becomes of the push.") }
    self.init(effect: try Effect(answer))
    tokens = try json.text("tokens").map(Glob.init)
    if let name = try json.text("service") {
      guard let service = Service(rawValue: name) else { throw BadRequest("service must be apns, fcm or oauth.") }
      self.service = service
    }
    topic = try json.text("topic")
    pushType = try json.text("pushType")
    percent = try json.decimal("percent", in: 0...100) ?? 100
    seed = try json.number("seed", in: Int.min...Int.max) ?? 0
    after = try json.number("after", in: 0...Int.max) ?? 0
    times = try json.number("times", in: 1...Int.max)
    perToken = try json.number("perToken", in: 1...Int.max)
  }

  fileprivate var members: [(String, RawJSON?)] {
    [
      ("answer", effect.json), ("tokens", (tokens?.text).map { RawJSON($0) }),
      ("service", service.map { RawJSON($0.rawValue) }), ("topic", topic.map { RawJSON($0) }),
      ("pushType", pushType.map { RawJSON($0) }),
      ("percent", percent == 100 ? nil : RawJSON(trusting: Array("\(percent)".utf8))),
      ("seed", seed == 0 ? nil : RawJSON(seed)), ("after", after == 0 ? nil : RawJSON(after)),
      ("times", times.map { RawJSON($0) }), ("perToken", perToken.map { RawJSON($0) }),
    ]
  }
}

extension Fault {
  /// The fault for `GET /faults`.
  var json: RawJSON {
    let counts: [(String, RawJSON?)] = [("matched", RawJSON(matched)), ("fired", RawJSON(fired))]
    let members = [("id", RawJSON(id))] + rule.members + counts
    return RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// Reads the form of ``json``.
  init(_ json: RawJSON) throws(BadRequest) {
    guard let id = try json.number("id", in: 1...Int.max) else { throw BadRequest("A fault of a snapshot has an id.") }
    self.init(
      id: id, rule: try Rule(json), matched: try json.number("matched", in: 0...Int.max) ?? 0,
      fired: try json.number("fired", in: 0...Int.max) ?? 0)
  }
}
