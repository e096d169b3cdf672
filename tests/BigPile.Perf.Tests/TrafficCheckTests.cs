using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using BigPile.Perf.Traffic;

namespace BigPile.Perf.Tests;

/// <summary>The traffic load's model against answers that are right and against wrong ones of each kind.</summary>
public sealed class TrafficCheckTests : IDisposable
{
    private const int Key = 5;
    private const ulong Tag = 0xABC;
    private const string OwnTag = "ETag: \"0000000000000abc\"\r\n";
    private const string OtherTag = "ETag: \"0000000000000def\"\r\n";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly TrafficValues _values = new(1);
    private readonly KeyState[] _states = new KeyState[10];
    private readonly TrafficTally _tally = new();

    public TrafficCheckTests() => _listener.Start();

    public void Dispose()
    {
        _listener.Dispose();
        _tally.Dispose();
    }

    [Theory]
    [InlineData(nameof(TrafficKind.Read), true, 200, OwnTag, 1, true)]
    [InlineData(nameof(TrafficKind.Read), true, 200, OwnTag, 2, false)] // the body of another value
    [InlineData(nameof(TrafficKind.Read), true, 200, OtherTag, 1, false)]
    [InlineData(nameof(TrafficKind.Read), true, 404, "", 0, false)]
    [InlineData(nameof(TrafficKind.Read), true, 304, OwnTag, 0, false)] // was not asked
    [InlineData(nameof(TrafficKind.Read), true, 500, "", 0, false)]
    [InlineData(nameof(TrafficKind.Read), true, 200, OwnTag + "BigPile-Ttl: 5\r\n", 1, false)] // does not expire
    [InlineData(nameof(TrafficKind.Read), false, 404, "", 0, true)]
    [InlineData(nameof(TrafficKind.Read), false, 200, OwnTag, 1, false)] // came back
    [InlineData(nameof(TrafficKind.ReadIfChanged), true, 304, OwnTag, 0, true)]
    [InlineData(nameof(TrafficKind.ReadIfChanged), true, 200, OwnTag, 1, false)] // has it already
    [InlineData(nameof(TrafficKind.ReadHead), true, 200, OwnTag, -1, true)]
    [InlineData(nameof(TrafficKind.ReadHead), true, 200, OwnTag, -2, false)] // another length
    [InlineData(nameof(TrafficKind.Write), true, 204, OtherTag, 0, true)]
    [InlineData(nameof(TrafficKind.Write), true, 201, OtherTag, 0, false)] // is not new
    [InlineData(nameof(TrafficKind.Write), true, 204, OwnTag, 0, false)] // the tag of the value before
    [InlineData(nameof(TrafficKind.Write), false, 201, OtherTag, 0, true)]
    [InlineData(nameof(TrafficKind.Write), false, 204, OtherTag, 0, false)]
    [InlineData(nameof(TrafficKind.Write), true, 507, "", 0, false)]
    [InlineData(nameof(TrafficKind.Delete), true, 204, "", 0, true)]
    [InlineData(nameof(TrafficKind.Delete), true, 404, "", 0, false)]
    [InlineData(nameof(TrafficKind.Delete), false, 404, "", 0, true)]
    [InlineData(nameof(TrafficKind.Delete), false, 204, "", 0, false)]
    public void An_answer_is_right_or_noted_as_wrong(string kindName, bool isThere, int status, string headers, int value, bool isRight)
    {
        TrafficKind kind = Enum.Parse<TrafficKind>(kindName);
        _states[Key] = isThere ? new KeyState(1, Tag, 0, 0) : default;
        Check(kind, Answer(kind, status, headers, value), Stopwatch.GetTimestamp());
        Assert.Equal(isRight, _tally.Wrong == 0);
        Assert.Equal(isRight, _tally.Examples.Count == 0);
    }

    [Theory]
    [InlineData(+60, 200, true)]
    [InlineData(+60, 404, false)]
    [InlineData(0, 200, true)]
    [InlineData(0, 404, true)]
    [InlineData(-60, 404, true)]
    [InlineData(-60, 200, false)]
    public void An_entry_goes_when_its_time_is_over_and_not_before(int secondsLeft, int status, bool isRight)
    {
        long now = Stopwatch.GetTimestamp();
        long expires = now + secondsLeft * Stopwatch.Frequency;
        _states[Key] = new KeyState(1, Tag, expires, expires);
        byte[] answer = status == 200
            ? Answer(TrafficKind.Read, 200, OwnTag + "BigPile-Ttl: 5\r\n", 1)
            : Answer(TrafficKind.Read, status, "", 0);
        Check(TrafficKind.Read, answer, now);
        Assert.Equal(isRight, _tally.Wrong == 0);
    }

    [Theory]
    [InlineData(1, OwnTag, 1u)]
    [InlineData(2, OtherTag, 2u)]
    [InlineData(3, OtherTag, 0u)]
    [InlineData(0, "", 0u)]
    public void A_change_without_an_answer_happened_or_did_not(int value, string headers, uint expected)
    {
        _states[Key] = new KeyState(1, Tag, 0, 0);
        using ResponseReader reader = Reply(Answer(TrafficKind.Read, value == 0 ? 404 : 200, headers, value));
        reader.Read(hasBody: true);
        long now = Stopwatch.GetTimestamp();
        new AnswerCheck(0, _values, _states, _tally).Either(Key, KeyState.Put(2, 0, 0, now, now), reader, now, now);
        Assert.Equal(expected == 0, _tally.Wrong == 1);
        if (expected != 0)
            Assert.Equal(expected, _states[Key].Sequence);
    }

    [Theory]
    [InlineData("HTTP/1.1 2OO OK\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: W/\"1\"\r\n\r\n")]
    public void What_is_no_answer_is_refused(string text)
    {
        using ResponseReader reader = Reply(Encoding.ASCII.GetBytes(text));
        Assert.Throws<InvalidDataException>(() => reader.Read(hasBody: true));
    }

    [Theory]
    [InlineData("")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Le")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc")]
    public void An_answer_that_breaks_off_is_a_lost_connection(string text)
    {
        using ResponseReader reader = Reply(Encoding.ASCII.GetBytes(text));
        Assert.Throws<ConnectionLostException>(() => reader.Read(hasBody: true));
    }

    private void Check(TrafficKind kind, byte[] answer, long now)
    {
        ulong tag = kind == TrafficKind.ReadIfChanged ? Tag : 0;
        var request = new TrafficRequest(kind, 0, 1, 0, tag);
        using ResponseReader reader = Reply(answer);
        reader.Read(request.HasBody);
        new AnswerCheck(0, _values, _states, _tally).One(request, Key, 2, reader, now, now);
    }

    private byte[] Answer(TrafficKind kind, int status, string headers, int value)
    {
        var payload = new byte[TrafficValues.MaxBytes];
        int lengthBytes = value == 0 ? 0 : _values.Write(payload, 0, Key, (uint)Math.Abs(value));
        byte[] head = Encoding.ASCII.GetBytes($"HTTP/1.1 {status} X\r\nContent-Length: {lengthBytes}\r\n{headers}\r\n");
        return kind == TrafficKind.ReadHead ? head : [.. head, .. payload.AsSpan(0, lengthBytes)];
    }

    private ResponseReader Reply(byte[] bytes)
    {
        var reader = new ResponseReader(_listener.LocalEndpoint);
        using Socket socket = _listener.AcceptSocket();
        socket.Send(bytes);
        socket.Shutdown(SocketShutdown.Send);
        return reader;
    }
}
