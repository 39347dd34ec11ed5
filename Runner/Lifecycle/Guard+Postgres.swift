import Glibc
import LocalPostgres
import System

extension Guard {
  /// Stops the project's PostgreSQL within 5 seconds after the runner's end, unless another runner uses or starts it.
  ///
  /// A fast shutdown that takes too long becomes an immediate one, which loses nothing that was committed.
  static func stopPostgres(of project: String, since start: ContinuousClock.Instant) {
    guard let layout = try? ClusterLayout(project: project), let locks = try? ClusterLocks(layout) else { return }
    guard Polling.block(until: start + .seconds(3), { locks.starting.take(.exclusive) }) else { return }
    // The kernel closes the runner's descriptors one by one: its lock may go a moment after its end of the socket.
    let alone = Polling.block(until: ContinuousClock.now + .milliseconds(300)) { locks.using.take(.exclusive) }
    guard alone, let postmaster = Postmaster.running(in: layout.data) else { return }
    unlink(layout.urlFile)
    postmaster.send(SIGINT)
    if Polling.block(until: start + .seconds(4), { !postmaster.isRunning }) { return }
    postmaster.send(SIGQUIT)
    _ = Polling.block(until: start + .seconds(10)) { !postmaster.isRunning }
  }
}
