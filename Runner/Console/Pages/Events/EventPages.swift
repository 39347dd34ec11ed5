import Documents
import FunctionKit
import Inspection
import Manifest
import Metrics

/// One event: what it was, what became of it, and what can be done about it.
struct EventPages: PageSource {
  let place = NavigationEntry("event", "Event", key: "e")
  let isListed = false

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard (2...3).contains(request.path.count) else { throw NoSuchPage() }
    let id = request.path[1]
    if request.form != nil { return try await act(request, id, desk) }
    let function = request["function"]
    let catalogue = EventCatalogue(database: desk.database, manifest: desk.manifest)
    let event = try await catalogue.get(EventID(id), function: function)
    if request.path.count == 3 {
      if request.path[2] == "test" { return try await test(of: event, desk) }
      guard request.path[2] == "fixture" else { throw NoSuchPage() }
      guard let document = try await catalogue.document(of: event) else { throw desk.manifest.history.gone(event) }
      return .file(
        name: "\(event.function)-\(id).json", type: "application/json", bytes: Array("\(document.pretty)\n".utf8))
    }
    let view = try await view(event, catalogue, request, desk)
    var page = view.page
    page.data = PageData(
      document: { [event = view.event, attempts = view.attempts, document = view.document] in
        try event.document(attempts, body: document)
      })
    return .page(page)
  }

  private func view(
    _ event: EventSummary, _ catalogue: EventCatalogue, _ request: PageRequest, _ desk: Desk, trial: Trial? = nil
  ) async throws -> EventView {
    let isKnown = desk.manifest[event.function] != nil
    var event = event
    var document = isKnown ? try await catalogue.document(of: event) : nil
    if isKnown, document == nil, !event.state.isEnded {
      // It has ended meanwhile, and is kept elsewhere.
      event = try await catalogue.get(EventID(event.id), function: event.function)
      document = try await catalogue.document(of: event)
    }
    let why = WhyReport(
      try await WhyFacts.read(EventID(event.id), function: event.function, of: desk.project, desk.database))
    return EventView(
      event: event.running(Set(desk.report.functions.flatMap(\.events))),
      attempts: try await catalogue.attempts(of: event),
      document: document, isKnown: isKnown, why: why,
      redacted: desk.manifest[event.function]?.redact ?? [], url: desk.url, mayAct: desk.mayAct,
      mayTry: desk.manifest[event.function].map { $0.target == nil } ?? false,
      sequel: await sequel(of: event, desk), token: request.token, done: request["done"], trial: trial,
      person: event.state == .dead ? await desk.people(of: [event]).values.first : nil)
  }

  /// The knowledge of the bundle's own pages about it; nothing is known before its first attempt.
  private func sequel(of event: EventSummary, _ desk: Desk) async -> Sequel {
    var all = Sequel(entries: HTML())
    guard event.state != .waiting else { return all }
    for source in desk.sources {
      guard let more = await source.sequel(of: event.id, function: event.function, desk) else { continue }
      all.title = all.title ?? more.title
      all.entries += more.entries
      all.people += more.people
    }
    return all
  }

  /// The event with the rows that it was decided by, and what was decided.
  private func test(of event: EventSummary, _ desk: Desk) async throws -> PageAnswer {
    var command = try RunnerCommand.reading("export").with(event.id).with("--function", event.function)
      .with(flag: "--as-test")
    command.timeLimit = .seconds(60)
    let test = try await desk.run(command)
    return .file(
      name: "\(event.function)-\(event.id)-test.json", type: "application/json", bytes: Array("\(test.pretty)\n".utf8))
  }

  private func act(_ request: PageRequest, _ id: String, _ desk: Desk) async throws -> PageAnswer {
    let function = request.entered("function")
    let address = Address("event", id).with("function", function)
    switch request.path.count == 3 ? request.path[2] : "" {
    case "resend":
      let new = request.entered("sure")
      let command = try RunnerCommand.changing("resend").with(id).with("--function", function).with("--event-id", new)
      return Self.sent(try await desk.run(command, as: ResendDocument.self), "resent")
    case "send": return try await send(request, id, desk)
    case "retry":
      try await Self.act(.retry, on: id, of: function, request, desk)
      return .redirect(address.with("done", "retried"))
    case "purge":
      try await Self.act(.purge, on: id, of: function, request, desk)
      return .redirect(Address("dead").with("done", "purged").with("number", "1"))
    case "try":
      let catalogue = EventCatalogue(database: desk.database, manifest: desk.manifest)
      let event = try await catalogue.get(EventID(id), function: function)
      var trial = try await Trial(request.entered("body") ?? "", of: event.function, desk)
      if trial.result != nil {
        for source in desk.sources {
          trial.comparison += await source.comparison(of: id, function: event.function, now: trial.body, desk) ?? HTML()
        }
      }
      return .page(try await view(event, catalogue, request, desk, trial: trial).page)
    default: throw NoSuchPage()
    }
  }

  /// Asks, and then sends a changed event as a new one.
  ///
  /// The id of the new event is part of the question: two answers send one event.
  private func send(_ request: PageRequest, _ id: String, _ desk: Desk) async throws -> PageAnswer {
    try desk.checkMayAct()
    let (function, body) = (request.entered("function"), request.entered("body") ?? "")
    guard let new = request.entered("sure") else {
      let catalogue = EventCatalogue(database: desk.database, manifest: desk.manifest)
      let event = try await catalogue.get(EventID(id), function: function)
      guard let document = try? RawJSON(validating: Array(body.utf8)[...]) else {
        let trial = Trial(body, problem: "That is not one JSON document.")
        return .page(try await view(event, catalogue, request, desk, trial: trial).page)
      }
      return .page(
        SendQuestion(event: event, document: document, body: body, newID: RandomID.make(), token: request.token).page)
    }
    var command = try RunnerCommand.changing("resend").with(id).with("--function", function).with("--event-id", new)
      .with(flag: "--event").with(flag: "-")
    command.input = Array(body.utf8)
    return Self.sent(try await desk.run(command, as: ResendDocument.self), "sent")
  }

  /// Leads to the event that `runner resend` has sent, now or before.
  private static func sent(_ answer: ResendDocument, _ done: String) -> PageAnswer {
    .redirect(
      Address("event", answer.id).with("function", answer.function)
        .with("done", answer.isNew ? done : "sent-before"))
  }
}

extension EventPages {
  /// Does something to a dead letter.
  fileprivate static func act(
    _ act: DeadLetterAct, on id: String, of function: String?, _ request: PageRequest, _ desk: Desk
  ) async throws {
    let command = try act.command([id], of: function, diedBy: request.entered(DeadLetterAct.field))
    guard try await desk.run(command, as: DeadLettersDocument.self).ids.isEmpty else { return }
    throw FunctionError(
      .failed,
      "It is no dead letter any more: somebody has retried or purged it meanwhile. Its page says what it is now.")
  }
}

/// A dry run of an event that somebody may have changed.
struct Trial: Sendable {
  var body: String
  /// The function's result if it ran; `nil` if it has failed.
  var result: RawJSON?
  /// Why it has failed.
  var problem: String?
  /// The people who would be told now beside those who were told, from the bundle's own pages.
  var comparison = HTML()

  /// A trial that could not be made.
  init(_ body: String, problem: String) {
    (self.body, self.problem) = (body, problem)
  }

  /// Runs the function with `--dry-run`.
  ///
  /// - Throws: if the console is read-only: a bundle's functions may not know what a dry run is.
  init(_ body: String, of function: String, _ desk: Desk) async throws {
    self.body = body
    guard (try? RawJSON(validating: Array(body.utf8)[...])) != nil else {
      problem = "That is not one JSON document."
      return
    }
    var command = try RunnerCommand.changing("invoke").with(function).with(flag: "--dry-run")
    (command.input, command.asksForJSON) = (Array(body.utf8), false)
    do {
      result = try await desk.run(command)
    } catch let error as FunctionError where desk.mayAct {
      problem = error.message
    }
  }
}
