/// The number of a process: what C calls `pid_t`.
package typealias ProcessID = Int32
