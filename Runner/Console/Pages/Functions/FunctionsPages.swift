import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Metrics

/// The functions, what triggers them, how they are, and whether everything that they need is there.
struct FunctionsPages: PageSource {
  let place = NavigationEntry("functions", "Functions", key: "f")
  let usesCounts = true

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    switch request.path.count {
    case 1: return .page(list(desk, await states(desk), await FunctionMemory(desk.report)))
    case 2 where request.path[1] == "doctor": return .page(try await doctor(desk))
    case 2:
      guard let entry = desk.manifest[request.path[1]] else { throw NoSuchPage() }
      var page = await FunctionView(
        entry: entry, desk: desk, states: states(desk), memory: FunctionMemory(desk.report)
      ).page(token: request.token)
      let line = FunctionLine(entry)
      page.data = PageData(line) { Self.csv([line]) }
      return .page(page)
    case 3 where request.path[2] == "resume" && request.form != nil:
      _ = try await desk.run(try .changing("resume").with(request.path[1]))
      return .redirect(Address("functions", request.path[1]))
    default: throw NoSuchPage()
    }
  }

  /// `nil` while the database is away: the page says so, and what else it knows.
  private func states(_ desk: Desk) async -> TriggerStates? {
    desk.pulse.problem == nil ? try? await TriggerStates(desk.manifest, in: desk.database) : nil
  }

  private func list(_ desk: Desk, _ states: TriggerStates?, _ memory: FunctionMemory) -> Page {
    var page = Page("Functions", in: place.path, live: [.events]) {
      FunctionList(
        entries: desk.manifest.functions, report: desk.report, pulse: desk.pulse, memory: memory, states: states,
        environment: desk.environment
      ).html
      tag(.p) { tag(.a, .class("button"), .href(Address("functions", "doctor"))) { "Check everything (doctor)" } }
      part("The last hour") {
        HourCharts(Array(desk.pulse.functions.values), isBesideClock: desk.virtualTime != nil).html
      }
      part("Services and metrics") {
        facts(
          desk.manifest.services.map { ("service", name($0.name)) }
            + [("figures", tag(.code) { "\(desk.url)/metrics" })])
      }
    }
    let lines = desk.manifest.functions.map(FunctionLine.init)
    page.data = PageData(lines) { Self.csv(lines) }
    return page
  }

  private static func csv(_ lines: [FunctionLine]) -> CSV {
    CSV(
      lines,
      [
        ("function", { $0.name }), ("mode", { $0.mode }), ("triggers", { $0.triggers.joined(separator: "; ") }),
        ("key", { $0.key }), ("timeout", { "\($0.timeout)" }), ("attempts", { "\($0.attempts)" }),
        ("concurrency", { "\($0.concurrency)" }), ("batch", { $0.batch.map { "\($0)" } }),
      ])
  }

  private func doctor(_ desk: Desk) async throws -> Page {
    var command = RunnerCommand.reading("doctor")
    // It says by these that something is missing.
    command.alsoAnswers = [70, 75, 78]
    let findings = try await desk.run(command, as: [FindingDocument].self)
    var page = Page("Doctor", in: place.path) { DoctorView(findings: findings).html }
    page.data = PageData(findings) {
      CSV(
        findings,
        [
          ("check", { $0.check }), ("result", { $0.ok ? $0.warning ? "warning" : "ok" : "wrong" }),
          ("detail", { $0.detail }),
        ])
    }
    return page
  }
}
