import CLI
import FunctionKit

/// The command line.
struct Options {
  let rounds: Int
  /// How long the writers write in a round.
  let seconds: Int
  let seed: UInt64
  /// The only round to play.
  let round: Int?
  let isJSON: Bool
  /// Where to write the remains of a wrong round.
  let kept: String?
  /// Whether writers prepare transactions.
  let prepares: Bool
  /// The only faults to bring about.
  let faults: [Plan.Fault]

  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - seed: unless one is given.
  init(_ arguments: [String], seed: UInt64) throws(FunctionError) {
    let arguments = try CommandArguments(arguments, of: Self.spec)
    let isQuick = arguments[Self.quick]
    rounds = arguments[Self.rounds] ?? (isQuick ? 2 : 8)
    seconds = arguments[Self.seconds] ?? (isQuick ? 18 : 30)
    self.seed = arguments[Self.seed].map { UInt64($0) } ?? seed
    round = arguments[Self.round]
    kept = arguments[Self.keep]
    isJSON = arguments[Self.json]
    prepares = !arguments[Self.withoutPrepared]
    faults = try arguments[Self.only].map(Self.faults) ?? Plan.Fault.allCases
  }

  private static func faults(_ names: String) throws(FunctionError) -> [Plan.Fault] {
    let names = names.split(separator: ",").map(String.init)
    if let wrong = names.first(where: { Plan.Fault(rawValue: $0) == nil }) {
      let known = Plan.Fault.allCases.map(\.rawValue).joined(separator: ", ")
      throw FunctionError(.usage, "There is no fault \(wrong). There are: \(known).")
    }
    return names.compactMap(Plan.Fault.init)
  }

  /// The numbers of the rounds to play, from 1.
  var numbers: [Int] { round.map { [$0] } ?? Array(1...rounds) }

  private static let rounds = Option.number(
    "--rounds", "N", in: 1...100_000, "how many rounds (8); each has a cluster, a runner and an emulator of its own")
  private static let seconds = Option.number("--seconds", "S", in: 1...3_600, "how long its writers write (30)")
  private static let seed = Option.number(
    "--seed", "X", in: 1...Int.max, "draws the plans of all rounds (at random)")
  private static let round = Option.number(
    "--round", "N", in: 1...100_000, "plays this round alone: with the seed, the same plan again")
  private static let quick = Flag("--quick", "two rounds of 18 s: the short form")
  private static let only = Option.text(
    "--only", "FAULT,FAULT", "these faults alone, by the names that a report has")
  private static let withoutPrepared = Flag("--without-prepared", "no PREPARE TRANSACTION")
  private static let keep = Option.text(
    "--keep", "DIR",
    "writes there what a wrong round leaves: the runners' logs, the faults with their times, what functions wrote and "
      + "phones got")
  private static let json = Flag("--json", "the report as JSON on stdout")

  static let spec = CommandSpec(
    "chaos", "kill and stop everything while it works, and count again", called: "Tests/Chaos/run",
    [quick, rounds, seconds, seed, round, only, withoutPrepared, keep, json],
    about: about, notes: notes)

  private static let about = """
    Writes to a PostgreSQL of its own while a runner serves the bundle from it, kills and stops all there is, and counts
    again by SQL that shares no code with the product. Exit status 0 when every figure below is 0, 1 when one is not or
    a round could not be played to its end, 2 when it was interrupted or could not begin, 64 for a wrong command line.
    """

  private static let notes = """
    Rounds 1, 5, 9 … have few writers and no fault; 2, 4, 6 … have 20 writers, 3, 7 … few, with faults: SIGKILL and
    SIGSTOP of the runner, its guard, workers, push-delivery, the emulator, the postmaster and a session; a second runner
    joins and leaves; PostgreSQL is stopped, killed, cut off without a word (half-open), and its disk fills up, where this
    user may mount one. One function runs elsewhere, under "runner host", which is stopped, or vanishes and comes back
    later. In rounds 2, 4, 6 … functions and writers go through PgBouncer in transaction mode, which is killed and stopped,
    too. In rounds 2, 3, 6, 7 … the clock of PostgreSQL or of the runners is 3 h or 25 h ahead for some seconds, or 2 h
    behind (libfaketime); what writes the ledgers goes by the right one. What this machine has not is left out, and the
    report says so. A round with few writers also has pairs of transactions: the one with the younger number
    draws the lower id and commits after the other's event was read. In each round somebody imports 300 rows of ten keys
    in one transaction, again and again, and changes each of those keys right after it.

    When writers and faults have ended, everything has \(Round.quiet.components.seconds) s to be handled; a round ends sooner when
    it is.

      lost       a committed row without its effect then: a function that did not hear of it, a device without the push;
                 and any dead letter
      overdue    handled later than 10 s after the commit, or after the end of the last fault that had begun before it was
                 handled; the pauses of Runner/OPERATING.md (1 s, 4 s, 16 s …) are added for each failed attempt of the event,
                 and of the events of its key that were handled since, where a failed event holds its key. A fault has
                 ended when what was stopped goes on, the server answers and the runner serves; one cut-off connection
                 counts as a fault of 10 s, a clock's fault ends 50 s after it was set right, and that of a target, for its
                 function alone, as much later as it was away (60 s at most)
      twice      a function heard of one row as two events; a person was decided on, has an entry, or a device shows
                 something, twice for one event
      misplaced  two rows of one key, the second from a transaction that began after the first was committed, and a
                 function heard of the second one first
      charged    an attempt of an event whose target was not reached
      untrue     a function or a device heard of something that was not committed
      badges     a device whose last badge is not the number of unread entries
      refused    a transaction that could not be prepared because of the triggers (SQLSTATE 0A000)
      ended      a runner that ended by itself, did not start, or had not ended 60 s after SIGTERM
      left       processes that are there 5 s after the runner's stop, or 8 s after SIGKILL of the runner, alone or with its
                 guard; with the guard, children that have begun a session of their own do not count
      overtaken  push_runner_events_overtaken_total of /metrics; - where there is none
      disordered push_runner_order_broken_total of /metrics; - where there is none
    """
}

/// Why a round could not be played.
struct ChaosError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
