/// A step and its result, one line each, for `demo --json`.
struct Report: Encodable, Sendable {
  let title: String
  let function: String
  let actions: [String]
  let pushes: [Push]
  let notNotified: [NotNotified]
  let failures: [String]

  struct Push: Encodable, Sendable {
    let kind, person, device, title, body: String
  }

  struct NotNotified: Encodable, Sendable {
    let person, reason: String
  }

  init(_ step: Step, _ outcome: Outcome) {
    title = step.title
    function = step.function
    actions = step.actions.map { action in
      switch action {
      case .sql(let text): text
      case .call(let function, let body): "POST /functions/v1/\(function) \(body)"
      }
    }
    pushes = outcome.pushes.map { push in
      Push(kind: push.kind, person: push.person, device: push.device, title: push.title, body: push.body)
    }
    notNotified = outcome.notNotified.map { NotNotified(person: $0.person, reason: $0.reason) }
    failures = outcome.failures
  }
}
