import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Metrics

/// The events that are not tried again by themselves, and what can be done about them.
struct DeadPages: PageSource {
  private static let count = 100
  /// The most that are counted before somebody is asked.
  private static let most = 100_000

  let place = NavigationEntry("dead", "Dead letters", key: "d")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.form != nil else {
      guard request.path.count == 1 else { throw NoSuchPage() }
      return .page(try await list(request, desk))
    }
    guard request.path.count == 2 else { throw NoSuchPage() }
    switch request.path[1] {
    case "chosen": return try await actOnChosen(request, desk)
    case "all": return try await actOnAll(request, desk)
    default: throw NoSuchPage()
    }
  }

  private func list(_ request: PageRequest, _ desk: Desk) async throws -> Page {
    let query = try EventQuery(request["q"] ?? "")
    let events = try await EventCatalogue(database: desk.database, manifest: desk.manifest)
      .list(query.filter, states: [.dead], count: Self.count)
    let number = try await DeadLetters(database: desk.database).count(query.filter, atMost: Self.most).number
    var page = DeadView(
      query: query, events: events, number: number, mayAct: desk.mayAct, token: request.token,
      done: request["done"].flatMap { done in
        request["number"].flatMap { Int($0) }.map { (done == "retried" ? "retried" : "purged", $0) }
      },
      now: desk.now, isServing: !desk.report.partitions.isEmpty,
      people: await desk.people(of: events)
    ).page
    page.data = .events(events, extent: "the newest \(Self.count) at most")
    return page
  }

  /// Each choice is a function and an id, in one value.
  private func actOnChosen(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    let act = try Self.act(request)
    let chosen = request.allEntered("chosen").compactMap(ChosenEvent.init)
    guard !chosen.isEmpty else { throw FunctionError(.usage, "Nothing was chosen.") }
    let diedBy = request.entered(DeadLetterAct.field)
    guard chosen.count == 1 || request.entered("sure") == "\(chosen.count)" else {
      return .page(
        DeadQuestion(
          act: act, number: chosen.count, query: "", chosen: chosen, diedBy: diedBy, token: request.token
        ).page)
    }
    let parts = try Dictionary(grouping: chosen, by: \.function).sorted { $0.key < $1.key }.map { function, events in
      (function: function, command: try act.command(events.map(\.id), of: function, diedBy: diedBy))
    }
    var number = 0
    for (function, command) in parts {
      do {
        number += try await desk.run(command, as: DeadLettersDocument.self).ids.count
      } catch let error as FunctionError where number > 0 {
        throw PartlyDone(
          sentence: "\(number) dead letter\(number == 1 ? " was" : "s were") \(act.past). It ended at those of "
            + "\(function): \(error.message)")
      }
    }
    return .redirect(Address("dead").with("done", act.past).with("number", "\(number)"))
  }

  private func actOnAll(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    let act = try Self.act(request)
    let text = request.entered("q") ?? ""
    var query = try EventQuery(text)
    let diedBy = request.entered(DeadLetterAct.field)
    let command = try act.command(query, diedBy: diedBy)
    query.filter.diedBy = try diedBy.map(TimeText.date)
    let (number, now) = try await DeadLetters(database: desk.database).count(query.filter, atMost: Self.most)
    guard number > 0 else { throw FunctionError(.noInput, "No dead letter matches any more.") }
    guard request.entered("sure") == "\(number)" else {
      return .page(
        DeadQuestion(
          act: act, number: number, query: text, chosen: [], diedBy: diedBy ?? TimeText.exact(now), token: request.token
        ).page)
    }
    let done = try await desk.run(command, as: DeadLettersDocument.self).ids.count
    return .redirect(Address("dead").with("done", act.past).with("number", "\(done)"))
  }

  private static func act(_ request: PageRequest) throws(FunctionError) -> DeadLetterAct {
    guard let act = DeadLetterAct(rawValue: request.entered("act") ?? "") else {
      throw FunctionError(.usage, "Retry or purge?")
    }
    return act
  }
}

/// A dead letter that somebody has ticked.
struct ChosenEvent: Sendable, Equatable {
  var function: String
  var id: String

  var text: String { "\(function) \(id)" }

  init(_ function: String, _ id: String) {
    (self.function, self.id) = (function, id)
  }

  init?(_ text: String) {
    guard let space = text.firstIndex(of: " ") else { return nil }
    self.init(String(text[..<space]), String(text[text.index(after: space)...]))
  }
}
