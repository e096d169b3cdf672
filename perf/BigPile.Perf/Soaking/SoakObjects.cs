using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Soaking;

/// <summary>A worker's own values as objects, each of which follows from id, version, shape and length.</summary>
internal static class SoakObjects
{
    private const int RingNodes = 3;
    private const char OutsideAscii = 'é';

    private static readonly DateTime FirstDay = new(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    internal static object Make(in SoakSlot slot) => slot.Shape switch
    {
        SoakShape.Text => MakeText(slot),
        SoakShape.Person => MakePerson(slot),
        SoakShape.Graph => MakeGraph(slot),
        _ => SoakValue.Make(slot.LengthBytes, slot.Id, slot.Version),
    };

    /// <summary>Says what is wrong with an object that was found in a slot's place.</summary>
    /// <returns><see langword="null"/> when it is the right one.</returns>
    internal static string? WhyNot(object found, in SoakSlot slot) => (slot.Shape, found) switch
    {
        (SoakShape.Bytes, byte[] bytes) => SoakValue.WhyNot(bytes, slot.Id, slot.Version, slot.LengthBytes),
        (SoakShape.Text, string text) => WhyNotText(text, slot),
        (SoakShape.Person, Person person) => WhyNotPerson(person, slot),
        (SoakShape.Graph, SoakNode node) => WhyNotGraph(node, slot),
        _ => $"an object of {found.GetType().Name} is in the place of one of {slot.Shape}",
    };

    /// <summary>Says what is wrong with a payload that was found in a slot's place, as the pile stores it.</summary>
    internal static string? WhyNotPayload(ReadOnlySpan<byte> found, in SoakSlot slot) => slot.Shape switch
    {
        SoakShape.Bytes => SoakValue.WhyNot(found, slot.Id, slot.Version, slot.LengthBytes),
        SoakShape.Text => WhyNotText(Encoding.UTF8.GetString(found), slot),
        _ => found.Length > 0 ? null : "no bytes are in the place of an object",
    };

    // Noise as letters, with one of two bytes at its end where that fits.
    private static string MakeText(in SoakSlot slot) => string.Create(slot.LengthBytes / 2, slot, static (text, slot) =>
    {
        ReadOnlySpan<byte> value = SoakValue.Make(Math.Max(SoakValue.MinBytes, text.Length), slot.Id, slot.Version);
        for (int i = 0; i < text.Length; i++)
            text[i] = (char)('0' + (value[i] & 63));
        if ((slot.Version & 1) != 0)
            text[^1] = OutsideAscii;
    });

    private static string? WhyNotText(string found, in SoakSlot slot)
    {
        string expected = MakeText(slot);
        if (found == expected)
            return null;
        int common = found.AsSpan().CommonPrefixLength(expected);
        return $"a text of {found.Length:N0} letters is in the place of one of {expected.Length:N0}, the same up to letter {common:N0}";
    }

    private static Person MakePerson(in SoakSlot slot) => new()
    {
        Id = slot.Id,
        FirstName = NameOf(slot),
        LastName = NameOf(slot) + OutsideAscii,
        Registered = FirstDay.AddMinutes(slot.Id + slot.Version),
        Balance = slot.Version / 8.0,
        IsActive = (slot.Version & 1) != 0,
        OrderCount = slot.Version,
    };

    private static string? WhyNotPerson(Person found, in SoakSlot slot)
    {
        Person expected = MakePerson(slot);
        bool isRight = (found.Id, found.FirstName, found.LastName, found.Registered) ==
                (expected.Id, expected.FirstName, expected.LastName, expected.Registered)
            && (found.Balance, found.IsActive, found.OrderCount) == (expected.Balance, expected.IsActive, expected.OrderCount);
        return isRight ? null : $"the person {found.FirstName} with {found.OrderCount} is in the place of {expected.FirstName}";
    }

    private static SoakNode MakeGraph(in SoakSlot slot)
    {
        byte[] payload = SoakValue.Make(slot.LengthBytes, slot.Id, slot.Version); // one that all nodes have
        string name = NameOf(slot);
        SoakNode first = MakeNode(slot, name, payload, 0);
        SoakNode last = first;
        for (int i = 1; i < RingNodes; i++)
        {
            last.Next = MakeNode(slot, name, payload, i);
            last = last.Next;
        }
        last.Next = first;
        return first;
    }

    private static SoakNode MakeNode(in SoakSlot slot, string name, byte[] payload, int number) => new()
    {
        Id = slot.Id,
        Version = slot.Version,
        Name = name,
        Payload = payload,
        Numbers = [number, slot.Version, BinaryPrimitives.ReadInt32LittleEndian(payload)],
    };

    private static string? WhyNotGraph(SoakNode first, in SoakSlot slot)
    {
        SoakNode node = first;
        SoakNode expected = MakeGraph(slot);
        for (int i = 0; i < RingNodes; i++)
        {
            bool isRight = (node.Id, node.Version, node.Name) == (expected.Id, expected.Version, expected.Name)
                && ReferenceEquals(node.Payload, first.Payload)
                && node.Payload.AsSpan().SequenceEqual(expected.Payload)
                && node.Numbers.Count == expected.Numbers.Count
                && node.Numbers[0] == i && node.Numbers[1] == expected.Numbers[1] && node.Numbers[2] == expected.Numbers[2];
            if (!isRight || node.Next == null)
                return $"node {i} of a ring is not as it was put: '{node.Name}' for '{expected.Name}'";
            (node, expected) = (node.Next, expected.Next!);
        }
        return ReferenceEquals(node, first) ? null : "a ring came back open";
    }

    private static string NameOf(in SoakSlot slot) => string.Create(CultureInfo.InvariantCulture, $"{slot.Id:x}.{slot.Version:x}");
}

/// <summary>A part of a ring of objects that the codec stores.</summary>
internal sealed class SoakNode
{
    internal uint Id { get; init; }
    internal ushort Version { get; init; }
    internal string Name { get; init; } = "";
    internal byte[] Payload { get; init; } = [];
    internal List<int> Numbers { get; init; } = [];
    internal SoakNode? Next { get; set; } // the ring's next one; the last has its first
}

/// <summary>What a worker's own value is stored as.</summary>
internal enum SoakShape : byte
{
    Bytes,
    Text,
    Person,
    Graph,
}

/// <summary>What must be behind a pointer of a worker's own.</summary>
internal struct SoakSlot
{
    internal PilePointer Pointer;
    internal uint Id;
    internal int LengthBytes;
    internal ushort Version;
    internal SoakShape Shape;
}
