import FunctionKit

extension Server {
  /// The processes of a function, of which none is started yet.
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

  /// A line for each event is for people who watch; a function that is only notified would say it all the time.
  func report(on entry: FunctionEntry) -> (@RunnerLoop (Job, WorkerOutcome) -> Void)? {
    guard printer.isForPeople, !entry.triggers.contains(where: \.isNotify) else { return nil }
    return { [log] job, outcome in
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
