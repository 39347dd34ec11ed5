import FunctionKit
import Manifest

/// The bundle's experiments: a button for each, and what came of it.
struct TryPages: PageSource {
  let experiments: [Experiment]

  let place = NavigationEntry("try", "Try it", key: "t")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.path.count > 1 else { return .page(list(mayAct: desk.mayAct, token: request.token)) }
    guard let experiment = experiments.first(where: { $0.name == request.path[1] }) else { throw NoSuchPage() }
    switch (request.path.count, request.form == nil) {
    case (2, false):
      var command = try RunnerCommand.changing("try").with(experiment.name)
      (command.timeLimit, command.writesLines, command.failsWhole) = (.seconds(600), true, false)
      // Two presses do it once.
      let form = request.entered("sure").map { "try\n\(experiment.name)\n\($0)" }
      let kept = await desk.keep(try await desk.run(command, once: form), of: form)
      return .redirect(Address("try", experiment.name, kept))
    case (3, true):
      guard let lines = await desk.kept(request.path[2]) else { throw NoSuchPage() }
      return .page(outcome(of: experiment, ClockOutcome(lines: lines), desk, token: request.token))
    default: throw NoSuchPage()
    }
  }

  private func list(mayAct: Bool, token: String) -> Page {
    var page = Page("Try it", in: place.path) {
      tag(.p) {
        "Each button does what people would do in the app, or moves the clock, and shows who is told of it, and who is not."
      }
      if !mayAct { tag(.p, .class("callout notice")) { "This console is read-only, so it has no buttons." } }
      tag(.div, .class("columns")) {
        for experiment in experiments {
          part(experiment.title) {
            if !experiment.summary.isEmpty { tag(.p) { experiment.summary } }
            if mayAct { button(experiment.title, experiment, token) }
            what(experiment)
          }
        }
      }
    }
    page.data = data
    return page
  }

  /// The experiments as `runner try --json` lists them, in one array.
  private var data: PageData {
    let columns: [(name: String, field: (Experiment) -> String?)] = [
      ("name", { $0.name }), ("title", { $0.title }), ("summary", { $0.summary }),
    ]
    let document = RawJSON(
      array: experiments.map { one in RawJSON(object: columns.map { ($0.name, RawJSON($0.field(one) ?? "")) }) })
    let table = CSV(experiments, columns)
    return PageData(document: { document }) { table }
  }

  private func outcome(of experiment: Experiment, _ outcome: ClockOutcome, _ desk: Desk, token: String) -> Page {
    var page = Page(experiment.title, in: place.path) {
      if !experiment.summary.isEmpty { tag(.p) { experiment.summary } }
      outcome.html(
        otherwise: "Nothing came of it: the rows that it is about may not be there, or no function wants to hear of it."
      )
      tag(.div, .class("buttons")) {
        for source in desk.sources.filter({ $0.place.path == experiment.panel }) {
          tag(.a, .class("button"), .href(source.place.address)) { source.place.title }
        }
        if desk.mayAct { button("Once more", experiment, token) }
        tag(.a, .class("button"), .href(place.address)) { "Try something else" }
      }
      what(experiment)
    }
    page.data = outcome.data
    return page
  }

  private func button(_ label: String, _ experiment: Experiment, _ token: String) -> HTML {
    ActForm(
      label, at: Address("try", experiment.name), [("sure", RandomID.make())], id: "try-\(experiment.name)"
    ).html(token: token)
  }

  /// How to do the same without the console.
  private func what(_ experiment: Experiment) -> HTML {
    tag(.details) {
      tag(.summary) {
        "What it does"
        unseen(": \(experiment.title)")
      }
      if !experiment.sql.isEmpty {
        // It scrolls, so the keyboard has to come to it.
        tag(.pre, .tabindex(0), .role("region"), .aria("label", "SQL of \(experiment.title)")) { experiment.sql }
      }
      if let minute = experiment.minute { tag(.p) { "The clock is moved forward to \(Self.time(minute)) UTC." } }
      tag(.p) {
        "The same on a command line: "
        tag(.code) { "runner try \(experiment.name)" }
      }
    }
  }

  private static func time(_ minute: Int) -> String {
    [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
