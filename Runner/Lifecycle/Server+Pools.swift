import FunctionKit
import Logging
import Manifest
import Metrics
import System
import Workers

extension Server {
  /// The pool of a function; none of its processes is started yet.
  func makePool(_ entry: FunctionEntry) -> FunctionPool {
    let pool = FunctionPool(entry, launch: launch(of: entry), slots: slots) { [printer] in
      printer.print($0, from: entry.name)
    }
    pool.report = report(on: entry)
    pool.onBackoff = { [log] pause in
      log.warning(
        "Processes of the function die one after the other: the next one waits",
        ["function": entry.name, "pause.ms": "\(pause / .milliseconds(1))"])
    }
    return pool
  }

  /// Counts each event that ends; a line for each is for people who watch, and a function that is only notified would
  /// say it all the time.
  func report(on entry: FunctionEntry) -> @RunnerLoop (Job, WorkerOutcome) -> Void {
    let isSaid = printer.isForPeople && !entry.triggers.contains(where: \.isNotify)
    return { [log, figures = figures.of(entry.name)] job, outcome in
      figures.add(job.trigger, outcome)
      guard isSaid else { return }
      log.info(
        "Done", ["function": entry.name, "event.id": job.id, "outcome": outcome.code, "ms": outcome.milliseconds])
    }
  }

  /// How processes of the function are started from now on.
  func launch(of entry: FunctionEntry) -> Launch {
    let executable = project.executable(of: entry)
    return Launch(
      executable: executable, environment: environment.variables(for: entry), directory: project.directory,
      edition: FileStamp(executable))
  }
}
