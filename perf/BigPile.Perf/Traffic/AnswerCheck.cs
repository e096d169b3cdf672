using System;
using System.Buffers.Binary;

namespace BigPile.Perf.Traffic;

/// <summary>Compares responses with the model, and updates the model with what they prove.</summary>
internal sealed class AnswerCheck(int client, TrafficValues values, KeyState[] states, TrafficTally tally)
{
    private const int FrameBytes = 24; // of an item in application/vnd.bigpile.batch

    /// <summary>Checks the answer to a request for one entry.</summary>
    internal void One(in TrafficRequest request, int key, uint newSequence, ResponseReader answer, long sent, long answered)
    {
        KeyState before = states[key];
        Liveness liveness = before.LivenessAt(sent, answered);
        switch (request.Kind)
        {
            case TrafficKind.Delete:
                Require(answer.Status == 204 || answer.Status == 404, request.Kind, key, answer, before);
                RequireLiveness(answer.Status == 204, liveness, request.Kind, key, answer, before);
                states[key] = default;
                break;
            case TrafficKind.Write or TrafficKind.WriteForTime:
                Require(answer.Status is 201 or 204 && answer.Tag != 0 && answer.Tag != before.Tag, request.Kind, key, answer, before);
                RequireLiveness(answer.Status == 204, liveness, request.Kind, key, answer, before);
                states[key] = KeyState.Put(newSequence, answer.Tag, request.LifetimeMs, sent, answered);
                break;
            default:
                Read(request, key, answer, before, liveness);
                break;
        }
    }

    /// <summary>Checks the answer to a request for many entries.</summary>
    internal void Many(
        in TrafficRequest request, ReadOnlySpan<int> keys, ReadOnlySpan<uint> newSequences, ResponseReader answer, long sent, long answered)
    {
        ReadOnlySpan<byte> rest = answer.Body;
        Require(answer.Status == 200, request.Kind, keys[0], answer, states[keys[0]]);
        for (int i = 0; i < keys.Length; i++)
        {
            if (!TryTake(ref rest, out int status, out ulong tag, out ReadOnlySpan<byte> payload))
            {
                tally.CountWrong($"{request.Kind} of {keys.Length} keys of client {client}: the answer ends behind {i}");
                return;
            }
            KeyState before = states[keys[i]];
            Liveness liveness = before.LivenessAt(sent, answered);
            if (request.Kind == TrafficKind.WriteMany)
            {
                Require(status is 201 or 204 && tag != 0 && IsPossible(status == 204, liveness), request.Kind, keys[i], answer, before);
                states[keys[i]] = KeyState.Put(newSequences[i], tag, 0, sent, answered);
                continue;
            }
            bool isRight = status == 404
                ? IsPossible(false, liveness)
                : status == 200 && IsPossible(true, liveness) && tag == before.Tag
                    && values.IsIntact(payload, client, keys[i], before.Sequence);
            Require(isRight, request.Kind, keys[i], answer, before);
            if (status == 404)
                Miss(keys[i], before);
        }
        Require(rest.IsEmpty, request.Kind, keys[^1], answer, states[keys[^1]]);
    }

    /// <summary>Decides by a response which of two states a key has; it must be one of them.</summary>
    internal void Either(int key, KeyState changed, ResponseReader answer, long sent, long answered)
    {
        KeyState before = states[key];
        if (answer.Status == 404)
        {
            bool mayBeGone = IsPossible(false, before.LivenessAt(sent, answered)) || IsPossible(false, changed.LivenessAt(sent, answered));
            Require(mayBeGone, TrafficKind.Read, key, answer, before);
            states[key] = default;
            return;
        }
        bool isChanged = IsPossible(true, changed.LivenessAt(sent, answered))
            && values.IsIntact(answer.Body, client, key, changed.Sequence);
        bool isBefore = IsPossible(true, before.LivenessAt(sent, answered)) && answer.Tag == before.Tag
            && values.IsIntact(answer.Body, client, key, before.Sequence);
        Require(answer.Status == 200 && (isChanged || isBefore), TrafficKind.Read, key, answer, before);
        states[key] = isChanged ? changed with { Tag = answer.Tag } : before;
    }

    private void Read(in TrafficRequest request, int key, ResponseReader answer, in KeyState before, Liveness liveness)
    {
        RequireLiveness(answer.Status is 200 or 304, liveness, request.Kind, key, answer, before);
        switch (answer.Status)
        {
            case 200:
                bool isBody = request.Kind == TrafficKind.ReadHead
                    ? answer.LengthBytes == TrafficValues.LengthOf(client, key, before.Sequence)
                    : values.IsIntact(answer.Body, client, key, before.Sequence);
                bool wasAsked = request.Tag == 0 || request.Tag != before.Tag;
                Require(isBody && wasAsked && answer.Tag == before.Tag
                    && answer.StatesLifetime == before.Expires, request.Kind, key, answer, before);
                break;
            case 304:
                Require(request.Tag != 0 && request.Tag == before.Tag && answer.Tag == before.Tag, request.Kind, key, answer, before);
                break;
            default:
                Require(answer.Status == 404, request.Kind, key, answer, before);
                Miss(key, before);
                break;
        }
    }

    private void Miss(int key, in KeyState before)
    {
        if (before.Expires)
            tally.CountExpired();
        states[key] = default;
    }

    private static bool TryTake(ref ReadOnlySpan<byte> rest, out int status, out ulong tag, out ReadOnlySpan<byte> payload)
    {
        status = 0;
        tag = 0;
        payload = default;
        if (rest.Length < FrameBytes)
            return false;
        int payloadBytes = BinaryPrimitives.ReadInt32LittleEndian(rest);
        int otherBytes = BinaryPrimitives.ReadUInt16LittleEndian(rest[4..]) + rest[6];
        status = BinaryPrimitives.ReadUInt16LittleEndian(rest[8..]);
        tag = BinaryPrimitives.ReadUInt64LittleEndian(rest[16..]);
        if (payloadBytes < 0 || rest.Length - FrameBytes - otherBytes < payloadBytes)
            return false;
        payload = rest.Slice(FrameBytes + otherBytes, payloadBytes);
        rest = rest[(FrameBytes + otherBytes + payloadBytes)..];
        return true;
    }

    private static bool IsPossible(bool isThere, Liveness liveness) =>
        liveness == Liveness.Either || isThere == (liveness == Liveness.There);

    private void RequireLiveness(bool isThere, Liveness liveness, TrafficKind kind, int key, ResponseReader answer, in KeyState before) =>
        Require(IsPossible(isThere, liveness), kind, key, answer, before);

    private void Require(bool isRight, TrafficKind kind, int key, ResponseReader answer, in KeyState before)
    {
        if (!isRight)
            tally.CountWrong($"{kind} of key {key} of client {client}: status {answer.Status}, tag {answer.Tag:x16}, {answer.LengthBytes} "
                + $"bytes; the model has {before}");
    }
}
