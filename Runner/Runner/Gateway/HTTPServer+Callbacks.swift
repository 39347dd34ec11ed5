import CMicroHTTPD

// The library's callbacks. It calls them only from `MHD_run` and `MHD_stop_daemon`, that is, on the loop.
extension HTTPServer {
  nonisolated static func connected(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
  ) {
    nonisolated(unsafe) let call = (context, pointer, state)
    RunnerLoop.assumeOnLoop {
      guard let context = call.0, let pointer = call.1, let state = call.2 else { return }
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      if change == .CONNECTION_NOTIFY_STARTED {
        let connection = ClientConnection(pointer)
        state.pointee = Unmanaged.passUnretained(connection).toOpaque()
        server.opened(connection)
      } else if let connection = connection(state.pointee) {
        server.closed(connection)
      }
    }
  }

  nonisolated static func begun(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ pointer: OpaquePointer?
  ) -> UnsafeMutableRawPointer? {
    nonisolated(unsafe) let call = (target, pointer)
    RunnerLoop.assumeOnLoop {
      guard let target = call.0, let pointer = call.1 else { return }
      connection(shim_connection_context(pointer))?.begin(target: String(cString: target))
    }
    // What it returns would be the request's state: the connection's own is enough.
    return nil
  }

  nonisolated static func received(
    _ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?, _ method: UnsafePointer<CChar>?,
    _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?
  ) -> MHD_Result {
    nonisolated(unsafe) let call = (context, pointer, method, upload, uploadSize)
    return RunnerLoop.assumeOnLoop {
      guard let context = call.0, let pointer = call.1, let method = call.2, let uploadSize = call.4,
        let connection = connection(shim_connection_context(pointer))
      else { return MHD_Result.NO }
      let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
      if connection.route == nil {
        return server.tookHead(connection, method: String(cString: method), HeaderFields(of: pointer))
      }
      guard uploadSize.pointee > 0 else { return server.tookAll(connection) }
      let isTaken = connection.take(UnsafeRawBufferPointer(start: call.3, count: uploadSize.pointee))
      uploadSize.pointee = 0
      return isTaken ? MHD_Result.YES : MHD_Result.NO
    }
  }

  nonisolated static func completed(_ context: UnsafeMutableRawPointer?, _ pointer: OpaquePointer?) {
    nonisolated(unsafe) let call = (context, pointer)
    RunnerLoop.assumeOnLoop {
      guard let context = call.0, let pointer = call.1,
        let connection = connection(shim_connection_context(pointer))
      else { return }
      Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().ended(connection)
    }
  }

  private static func connection(_ state: UnsafeMutableRawPointer?) -> ClientConnection? {
    state.map { Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension HeaderFields {
  /// The fields of the request that a connection has just received.
  init(of connection: OpaquePointer) {
    self.init()
    withUnsafeMutablePointer(to: &self) { pointer in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name, let value else { return MHD_Result.YES }
          context.assumingMemoryBound(to: HeaderFields.self).pointee
            .append(String(cString: name).lowercased(), String(cString: value))
          return MHD_Result.YES
        }, pointer)
    }
  }
}
