import Cron
import FunctionKit
import Manifest

/// Something that the runner gives, and an engine does not.
package struct EngineLoss: Sendable, Equatable {
  package let subject: String
  package let text: String
  /// Whether the engine cannot be used for what `functions.json` asks for.
  package let isRefusal: Bool
}

extension ExportEngine {
  /// The bundle's losses on this engine compared with `runner serve`.
  package func losses(of deployment: Deployment) -> [EngineLoss] {
    var losses = general.map { EngineLoss(subject: $0.0, text: $0.1, isRefusal: false) }
    if isOfFunctions {
      losses += deployment.staying.map {
        EngineLoss(subject: $0.name, text: "stays with a runner: it asks to be woken again", isRefusal: false)
      }
      losses += deployment.movable.flatMap { lost($0) }
    }
    do { _ = try files(of: deployment) } catch {
      losses.append(EngineLoss(subject: "export", text: error.message, isRefusal: true))
    }
    return losses
  }

  /// Whether each function runs there by itself, instead of beside a runner.
  private var isOfFunctions: Bool { [.knative, .openfaas, .lambda].contains(self) }

  private func lost(_ function: FunctionEntry) -> [EngineLoss] {
    var texts: [String] = []
    if function.key != nil, self == .lambda {
      texts.append("keeps no order of \(function.key ?? "") except from a FIFO queue")
    }
    if function.key != nil, self != .lambda {
      texts.append("keeps the order of \(function.key ?? "") only while a runner sends its rows")
    }
    if let schedule = function.schedules.first, schedule.catchUp != .none {
      texts.append("its missed occurrences are not caught up (\"catchup\": \"\(schedule.catchUp.rawValue)\")")
    }
    if function.batch != nil { texts.append("gets its events one by one, not in batches") }
    if self == .knative, function.timeout > Deployment.longestOnKnative {
      texts.append(
        "has \(function.timeout) s, and Knative allows \(Deployment.longestOnKnative) unless it is configured")
    }
    return texts.map { EngineLoss(subject: function.name, text: $0, isRefusal: false) }
  }

  private var general: [(String, String)] {
    switch self {
    case .nginx:
      [("proxy", "a proxy alone: the runner behind it is yours to start")]
    case .systemd:
      [("machine", "one machine: while it is away nothing is delivered, and nothing is lost")]
    case .compose:
      [
        ("machine", "one machine: while it is away nothing is delivered, and nothing is lost"),
        ("watchdog", "a container that hangs is marked unhealthy, and not restarted: Docker restarts only what ends"),
      ]
    case .docker:
      [("image", "an image alone: restarts, secrets and migrations are yours to arrange")]
    case .kubernetes:
      [
        (
          "requests",
          "the proxies of a cluster learn late that a pod ends: the runner drains for \(Deployment.drainSeconds) s"
        ),
        ("connections", "each replica has connections of its own: runner doctor --replicas N counts them"),
      ]
    case .knative:
      [
        ("order", "Eventing keeps none, except a Kafka broker with ordered delivery"),
        ("loss", "an event that fails for good is lost without a dead letter sink; 400, 401, 403, 413 and 415 at once"),
        ("retries", "Retry-After is ignored, unless an alpha feature is on"),
        ("calls", "nothing checks keys: the export lets only the cluster call"),
      ]
    case .openfaas:
      [
        ("retries", "the Community Edition tries nothing again, and its queue handles one call at a time"),
        ("order", "none"),
        ("schedules", "each replica of cron-connector fires, in UTC only, and nothing is caught up"),
        ("calls", "nothing checks keys: the gateway is open unless you close it"),
      ]
    case .lambda:
      [
        ("order", "none, except within the groups of a FIFO queue"),
        ("SIGTERM", "Lambda ends a process by SIGKILL unless an extension is registered: the host registers one"),
        ("retries", "an asynchronous event is tried three times; then it is in the queue Failures"),
        ("freeze", "a process is stopped between events, and its connection to the database may be gone then"),
        ("connections", "each concurrent call has one: a pooler belongs in front of the database"),
        ("size", "events and results have 6 MiB at most"),
      ]
    }
  }
}
