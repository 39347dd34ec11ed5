import FunctionKit
import Logging
import Manifest
import Metrics
import System
import Traces
import Workers

extension Server {
  /// Makes the pool of a function, without a process yet.
  func makePool(_ entry: FunctionEntry) -> FunctionPool {
    let pool = FunctionPool(entry, launch: launch(of: entry), slots: slots) { [printer] in
      printer.print($0, from: entry.name)
    }
    pool.use(target(of: entry))
    pool.observer.report = report(on: entry)
    traces?.follow(pool)
    pool.observer.onBatch = { [figures = figures.of(entry.name)] in figures.addBatch(of: $0) }
    pool.observer.onBrokenBatch = { [log, figures = figures.of(entry.name)] count, outcome in
      figures.addBrokenBatch()
      log.warning(
        "A process ended with a batch: each of its events runs alone until it is known which one was the cause",
        ["function": entry.name, "events": "\(count)", "error.code": outcome.code, "error.message": outcome.message])
    }
    pool.observer.onBackoff = { [log] pause in
      log.warning(
        "Processes of the function die one after another: the next one waits",
        ["function": entry.name, "pause.ms": "\(pause / .milliseconds(1))"])
    }
    return pool
  }

  /// Counts each event that ends.
  ///
  /// The log has a line for each only if a person watches, and not for a function that is only notified: there would be
  /// too many. At the level `debug` it has a line for each.
  func report(on entry: FunctionEntry) -> @RunnerLoop (Job, WorkerOutcome) -> Void {
    let isSaid = log.says(.debug) || printer.isForPeople && !entry.triggers.contains(where: \.isNotify)
    return { [log, figures = figures.of(entry.name)] job, outcome in
      figures.add(job.trigger, outcome)
      guard isSaid else { return }
      log.info(
        "Done", ["function": entry.name, "event.id": job.id, "outcome": outcome.code, "ms": outcome.milliseconds])
    }
  }

  /// How to start processes of the function from now on.
  func launch(of entry: FunctionEntry) -> Launch {
    let executable = project.executable(of: entry)
    return Launch(
      executable: executable, environment: environment.variables(for: entry), directory: project.directory,
      edition: files[executable])
  }
}
