import FunctionKit
import Workers

/// What the queue has to say to people.
enum QueueNotice {
  case taken(Int, held: Int)
  case released(Int, held: Int)
  case lost(Int)
  case overtaken(EventAudit.Seen)
  case outOfOrder(QueuedEvent, newer: Int64)
  case paused(String, WorkerOutcome)
  case deadLetter(QueuedEvent, code: String)
  case unknownFunction(String)
  case databaseAway(String)
  case conflict(String)

  func write(to log: Log) {
    switch self {
    case .taken(let count, let held): log.info("Partitions taken", ["partitions": "\(count)", "held": "\(held)"])
    case .released(let count, let held):
      log.info("Partitions given to another runner", ["partitions": "\(count)", "held": "\(held)"])
    case .lost(let count): log.warning("The partitions have gone to another runner", ["partitions": "\(count)"])
    case .overtaken(let event):
      let (partition, number) = ("\(event.place.partition)", "\(event.place.id)")
      log.error(
        "An event was overtaken and is run now",
        ["function": event.function, "event.partition": partition, "event.number": number])
    case .outOfOrder(let event, let newer):
      let (partition, number) = ("\(event.place.partition)", "\(event.place.id)")
      log.error(
        "An event was taken after a newer one of its key",
        [
          "function": event.function, "event.partition": partition, "event.number": number,
          "newer.number": "\(newer)",
        ])
    // The target has said so once, and asks again by itself.
    case .paused(_, let outcome) where outcome.isOutage: break
    case .paused(let function, let outcome):
      log.error(
        "The function is paused until it is mended",
        ["function": function, "error.code": outcome.code, "error.message": outcome.message])
    case .deadLetter(let event, let code):
      log.error(
        "An event is a dead letter", ["function": event.function, "event.id": event.eventID, "error.code": code])
    case .unknownFunction(let function):
      log.error("Events wait for a function that functions.json does not have", ["function": function])
    case .databaseAway(let cause): log.warning("The database is away", ["error.cause": cause])
    case .conflict(let cause):
      log.warning("Another runner has some of these functions", ["error.cause": cause])
    }
  }
}
