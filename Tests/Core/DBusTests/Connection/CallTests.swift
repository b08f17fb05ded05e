import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Testing

@Suite("Calls", .timeLimit(.minutes(5)))
struct CallTests {
  @Test("An answer may come later, and answers in another order than the calls", arguments: [1, 2])
  func outOfOrder(loops: Int) async throws {
    try await Talk.run(loops: loops) { talk async throws in
      let calls = Mailbox<IncomingCall>()
      let answers = Mailbox<[DBusValue]>()
      await talk.serve { _, call in calls.put(call) }
      await talk.client.run { client in
        for index in 0..<10 {
          client.start(talk.call("Wait", [.int32(Int32(index))])) { answers.put((try? $0.get()) ?? []) }
        }
      }
      let order = [7, 0, 9, 1, 2, 8, 3, 6, 5, 4]
      let waiting = try await calls.next(10)
      #expect(waiting.map { $0.call.arguments } == (0..<10).map { [.int32($0)] })
      #expect(Set(waiting.map(\.serial)).count == 10)
      #expect(waiting.allSatisfy { $0.sender == talk.clientName })
      for index in order { await talk.server.reply(to: waiting[index], .success(waiting[index].call.arguments)) }
      #expect(try await answers.next(10) == order.map { [.int32(Int32($0))] })
    }
  }

  @Test("A call arrives as it was sent")
  func call() async throws {
    try await Talk.run { talk async throws in
      let calls = Mailbox<MethodCall>()
      await talk.serve(at: "/") { server, call in
        calls.put(call.call)
        server.reply(to: call, .success([]))
      }
      var call = talk.call("Member", [.byte(1), .string("x")], path: "/some/object")
      _ = try await talk.client.call(call)
      #expect(try await calls.next() == call)
      call.interface = nil
      _ = try await talk.client.call(call)
      #expect(try await calls.next() == call)
    }
  }

  @Test("A call that wants no answer completes at once, and an answer to it goes nowhere")
  func noReply() async throws {
    try await Talk.run { talk async throws in
      let calls = Mailbox<IncomingCall>()
      await talk.serve { server, call in
        server.reply(to: call, .success([.byte(1)]))
        calls.put(call)
      }
      var call = talk.call("Report")
      call.expectsReply = false
      let result = await talk.client.run { [call] client in
        let box = Mailbox<Result<[DBusValue], DBusFailure>>()
        let serial = client.start(call) { box.put($0) }
        return (serial, box.left)
      }
      #expect(result.0 == nil)
      #expect(result.1 == [.success([])])
      #expect(try await calls.next().call.expectsReply == false)
    }
  }

  @Test("A call without a reply in time fails, and its late reply is ignored")
  func timeOut() async throws {
    try await Talk.run { talk async throws in
      let calls = Mailbox<IncomingCall>()
      await talk.serve { _, call in calls.put(call) }
      let limit = Duration.milliseconds(1)
      let error = await #expect(throws: DBusFailure.self) {
        try await talk.client.call(talk.call("Wait"), timeout: limit)
      }
      #expect(error == .timedOut(limit))
      await talk.server.reply(to: try await calls.next(), .success([.byte(1)]))
      await talk.echo()
      #expect(try await talk.ask("Echo", [.byte(2)]) == [.byte(2)])
    }
  }

  @Test("Cancelling the task ends the call at once, and its late reply is ignored")
  func cancellation() async throws {
    try await Talk.run { talk async throws in
      let calls = Mailbox<IncomingCall>()
      await talk.serve { _, call in calls.put(call) }
      let task = Task { () async -> DBusFailure? in
        do throws(DBusFailure) {
          _ = try await talk.client.call(talk.call("Wait"))
          return nil
        } catch {
          return error
        }
      }
      let call = try await calls.next()
      task.cancel()
      #expect(await task.value == .cancelled)
      await talk.server.reply(to: call, .success([.byte(1)]))
      await talk.echo()
      #expect(try await talk.ask("Echo", [.byte(2)]) == [.byte(2)])
    }
  }

  @Test("A task that was cancelled before does not call at all")
  func cancelledBefore() async throws {
    try await Talk.run { talk async throws in
      let calls = Mailbox<MemberName>()
      await talk.serve { server, call in
        calls.put(call.call.member)
        server.reply(to: call, .success([]))
      }
      let gate = Mailbox<Void>()
      let task = Task { () async -> DBusFailure? in
        // Ends with the cancellation, and not before.
        try? await gate.next()
        do throws(DBusFailure) {
          _ = try await talk.client.call(talk.call("Never"))
          return nil
        } catch {
          return error
        }
      }
      task.cancel()
      #expect(await task.value == .cancelled)
      _ = try await talk.ask("Sentinel")
      #expect(calls.left == ["Sentinel"])
    }
  }

  @Test(
    "An error arrives with its name and its message",
    arguments: [
      DBusErrorReply(name: "org.bluez.Error.Failed", message: "0x81"),
      DBusErrorReply(name: .accessDenied, message: ""), DBusErrorReply(name: .failed, message: "Schön ist's nicht."),
    ])
  func errors(reply: DBusErrorReply) async throws {
    try await Talk.run { talk async throws in
      await talk.serve { server, call in server.reply(to: call, .failure(reply)) }
      let error = await #expect(throws: DBusFailure.self) { try await talk.client.call(talk.call("Fail")) }
      #expect(error == .remote(reply))
    }
  }

  @Test("What nobody answers for is refused by its name")
  func unknown() async throws {
    try await Talk.run { talk async throws in
      await talk.serve(at: "/test/inner") { server, call in server.reply(to: call, .success([])) }
      var call = talk.call("Any")
      #expect(await Self.errorName(of: call, talk) == .unknownObject, "above the exported path")
      call.path = "/test/inner/below"
      #expect(await Self.errorName(of: call, talk) == nil)
      call.path = "/test/innerother"
      #expect(await Self.errorName(of: call, talk) == .unknownObject, "beside it")
      await talk.server.unexport(at: "/test/inner")
      call.path = "/test/inner"
      #expect(await Self.errorName(of: call, talk) == .unknownObject, "after its end")
      call.destination = "org.blepera.Nobody"
      #expect(await Self.errorName(of: call, talk) == .nameHasNoOwner, "without an owner, and nothing is started")
    }
  }

  @Test("Of several exported paths the longest answers")
  func longest() async throws {
    try await Talk.run { talk async throws in
      for path in ["/", "/a", "/a/b/c"] as [ObjectPath] {
        await talk.serve(at: path) { server, call in server.reply(to: call, .success([.objectPath(path)])) }
      }
      for (path, answer) in [
        ("/", "/"), ("/x", "/"), ("/a", "/a"), ("/a/b", "/a"), ("/a/b/c", "/a/b/c"), ("/a/b/c/d", "/a/b/c"),
        ("/a/b/cd", "/a"),
      ] as [(ObjectPath, ObjectPath)] {
        #expect(try await talk.ask("Where", at: path) == [.objectPath(answer)], "\(path)")
      }
    }
  }

  @Test("A second reply to a call is ignored")
  func twice() async throws {
    try await Talk.run { talk async throws in
      await talk.serve { server, call in
        server.reply(to: call, .success([.byte(1)]))
        server.reply(to: call, .success([.byte(2)]))
      }
      #expect(try await talk.ask("Twice") == [.byte(1)])
      #expect(try await talk.ask("Twice") == [.byte(1)])
    }
  }

  private static func errorName(of call: MethodCall, _ talk: Talk) async -> ErrorName? {
    do throws(DBusFailure) {
      _ = try await talk.client.call(call)
      return nil
    } catch {
      guard case .remote(let reply) = error else { return "org.blepera.Error.Other" }
      return reply.name
    }
  }
}
