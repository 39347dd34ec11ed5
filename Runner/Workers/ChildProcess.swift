import CLinux
import EventLoop
import Glibc
package import System

/// A process in a group of its own, with pipes, seen from the loop.
@RunnerLoop
package final class ChildProcess {
  /// How a process ended.
  package enum Exit {
    case exited(Int32)
    case signalled(Int32)
  }

  let processID: pid_t
  private let processDescriptor: Int32
  private var input: Int32
  private let outputs: [Int32]
  private var deliveries: [@RunnerLoop (ArraySlice<UInt8>) -> Void] = []
  private var unwritten: [UInt8] = []
  private var written = 0
  private var willFlush = false
  private var closesInput = false
  private var ending: TimerID?
  private var isReaped = false
  private var escapees = Escapees()
  private var onExit: (@RunnerLoop (Exit) -> Void)?

  /// Starts a process.
  ///
  /// - Parameter whole: all that it gets on stdin, which is then closed; `nil` where it is written later.
  /// - Throws: `SpawnError` when the executable cannot be run.
  package init(_ program: Program, input whole: [UInt8]? = nil) throws(SpawnError) {
    let spawned = try Spawn.start(program, input: whole)
    (processID, processDescriptor) = (spawned.processID, spawned.processDescriptor)
    input = spawned.input
    outputs = [spawned.output, spawned.error]
    if input >= 0, let whole { (unwritten, written, closesInput) = (whole, spawned.written, true) }
  }

  /// Begins to deliver its end, before which both outputs have been read to theirs.
  ///
  /// Output that it writes meanwhile is delivered after ``watchOutputs()``.
  package func watch(
    output: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void, error: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void,
    exit: @escaping @RunnerLoop (Exit) -> Void
  ) {
    onExit = exit
    deliveries = [output, error]
    RunnerLoop.loop.watch(processDescriptor, for: .read) { [self] _ in ended() }
    if closesInput { flush() }
  }

  /// Delivers what it writes as soon as it is there.
  package func watchOutputs() {
    for (descriptor, deliver) in zip(outputs, deliveries) {
      RunnerLoop.loop.watch(descriptor, for: .read) { _ in
        let count = Self.read(descriptor, deliver)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { RunnerLoop.loop.unwatch(descriptor) }
      }
    }
  }

  /// Delivers what it has written so far; `false` where that is nothing.
  func deliverOutputs() -> Bool {
    let counts = zip(outputs, deliveries).map { Self.read($0, $1) }
    return counts.contains { $0 > 0 }
  }

  /// Delivers what it has written on stderr so far.
  func deliverErrors() {
    guard !isReaped, let descriptor = outputs.last, let deliver = deliveries.last else { return }
    for _ in 0..<Self.mostReads where Self.read(descriptor, deliver) < Self.buffer.count { break }
  }

  /// Makes the pipe to its stdin larger, so that the process finds all these bytes there at once.
  ///
  /// Where the system refuses, as it does to a user with very many pipes, the pipe stays as it is.
  func widenInput(to bytes: Int32) {
    _ = fcntl(input, shim_F_SETPIPE_SZ, bytes)
  }

  /// Writes to stdin at the end of the loop's turn, so that what comes together goes together; in the background where
  /// the pipe is full.
  package func write(_ bytes: [UInt8]) {
    guard input >= 0 else { return }
    unwritten += bytes
    guard !willFlush else { return }
    willFlush = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      willFlush = false
      flush()
    }
  }

  /// Closes stdin after what was written.
  func closeInput() {
    closesInput = true
    flush()
  }

  /// Ends the whole group: TERM, and KILL after the grace.
  ///
  /// - Parameter sparingEscapees: leaves alone what it has started in other groups.
  package func terminate(grace: Duration = .seconds(2), sparingEscapees: Bool = false) {
    // Once its leader is reaped, the group's number may be another's.
    guard ending == nil, !isReaped else { return }
    ending = RunnerLoop.loop.schedule(after: grace) { [self] in end(SIGKILL, sparingEscapees) }
    end(SIGTERM, sparingEscapees)
  }

  /// Sends a signal to the group, and to its escapees once they are found.
  private func end(_ signal: Int32, _ sparingEscapees: Bool) {
    guard !sparingEscapees else { return send(signal) }
    BackgroundTask.start("ending process \(processID)") { [self] in
      escapees.hold(await Escapees.find(of: processID))
      // Whatever outlived the leader goes with it.
      guard !isReaped else { return escapees.endAll() }
      send(signal)
    }
  }

  private func send(_ signal: Int32) {
    kill(-processID, signal)
    escapees.send(signal)
  }

  private func flush() {
    guard input >= 0 else { return }
    while written < unwritten.count {
      let count = unwritten.withUnsafeBytes {
        Glibc.write(input, UnsafeRawBufferPointer(rebasing: $0[written...]).baseAddress, $0.count - written)
      }
      if count > 0 {
        written += count
      } else if errno == EAGAIN {
        waitToWrite()
        return
      } else if errno != EINTR {
        // The reader is gone; its end follows and says what became of the events.
        dropInput()
        return
      }
    }
    (unwritten, written) = ([], 0)
    if closesInput { dropInput() } else if watchingInput { stopWaiting() }
  }

  private var watchingInput = false

  private func waitToWrite() {
    guard !watchingInput else { return }
    watchingInput = true
    RunnerLoop.loop.watch(input, for: .write) { [self] _ in flush() }
  }

  private func stopWaiting() {
    watchingInput = false
    RunnerLoop.loop.unwatch(input)
  }

  private func dropInput() {
    if watchingInput { stopWaiting() }
    close(input)
    input = -1
    (unwritten, written) = ([], 0)
  }

  private func ended() {
    // The rest of the group goes while its leader is still a zombie: afterwards the number could be another's.
    send(SIGKILL)
    escapees.endAll()
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    isReaped = true
    if let ending { RunnerLoop.loop.cancel(ending) }
    RunnerLoop.loop.unwatch(processDescriptor)
    close(processDescriptor)
    for (descriptor, deliver) in zip(outputs, deliveries) {
      // Bounded, because a process that left the group may go on writing for ever. What does not fill the buffer was all.
      for _ in 0..<Self.mostReads where Self.read(descriptor, deliver) < Self.buffer.count { break }
      RunnerLoop.loop.unwatch(descriptor)
      close(descriptor)
    }
    if input >= 0 { dropInput() }
    let exit = status & 0x7F == 0 ? Exit.exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    onExit?(exit)
    (onExit, deliveries) = (nil, [])
  }

  /// Reads what is there now; how many bytes that were, 0 at the end, less than that where there is nothing.
  private static func read(_ descriptor: Int32, _ deliver: @RunnerLoop (ArraySlice<UInt8>) -> Void) -> Int {
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { deliver(ArraySlice(UnsafeRawBufferPointer(rebasing: buffer[..<count]))) }
    return count
  }

  private static let mostReads = 64

  // One buffer for all pipes: they are read one after the other on the loop.
  private static let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
}

/// Descendants of a process that have left its group, as `setsid` and daemons do.
///
/// They are held by their descriptors: a number may soon be another process's.
struct Escapees {
  private var descriptors: [pid_t: Int32] = [:]

  /// All that there are now, in the caller's hands from then on.
  ///
  /// Processes whose parents have ended are among them: the kernel gives them to the leader, see `shim_become_program`.
  @ProcessThread
  static func find(of leader: ProcessID) -> [ProcessID: Int32] {
    var found: [ProcessID: Int32] = [:]
    for (process, entry) in ProcessTable.descendants(of: leader) where entry.group != leader {
      let descriptor = shim_pidfd_open(process)
      guard descriptor >= 0 else { continue }
      guard ProcessTable.Entry(of: process)?.started == entry.started else {
        close(descriptor)
        continue
      }
      found[process] = descriptor
    }
    return found
  }

  /// Keeps those that were found; one that is held already is kept once.
  mutating func hold(_ found: [ProcessID: Int32]) {
    for (process, descriptor) in found {
      if let former = descriptors.updateValue(descriptor, forKey: process) { close(former) }
    }
  }

  /// Sends a signal to all of them that still live.
  func send(_ signal: Int32) {
    for descriptor in descriptors.values { _ = shim_pidfd_send_signal(descriptor, signal) }
  }

  /// Ends all of them, and lets go of them.
  mutating func endAll() {
    send(SIGKILL)
    descriptors.values.forEach { close($0) }
    descriptors = [:]
  }
}
