using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Ports.Tests.Samples;

namespace BigPile.Ports.Tests;

/// <summary>What two processes do with a shared pile: one puts parcels, the other gets them by pointers that it is sent.</summary>
internal static class Parcels
{
    internal const string PointersPort = "pointers";
    internal const string Deleted = "deleted";
    internal const string Sends = "sends";

    private const long SegmentBytes = 4 << 20;

    /// <summary>An object that both know.</summary>
    internal sealed record Parcel(int Number, string Text, byte[] Content, List<int> Parts);

    internal static string PathIn(string directory) => Path.Combine(directory, "parcels");

    internal static Pile OpenWriter(string path) => Pile.Open(path, new PileOptions { Shared = true, SegmentBytes = SegmentBytes });

    internal static Pile OpenReader(string path) => Pile.Open(path, new PileOptions { Shared = true, ReadOnly = true });

    /// <summary>Something for a number: a parcel, a text, or bytes, of very different lengths.</summary>
    internal static object Of(int number)
    {
        int lengthBytes = number % 50 == 49 ? (int)SegmentBytes + number : number * 37 % 3_000;
        var content = new byte[lengthBytes];
        new Random(number).NextBytes(content);
        return (number % 3) switch
        {
            0 => new Parcel(number, "parcel " + number, content, [number, number + 1]),
            1 => string.Create(lengthBytes, number, static (text, number) => text.Fill((char)('a' + number % 26))),
            _ => content,
        };
    }

    /// <summary>What both say of a thing, so that it can be compared.</summary>
    internal static string Describe(object? thing) => thing switch
    {
        null => Deleted,
        Parcel parcel => $"{parcel.Number} {parcel.Text} {string.Join('+', parcel.Parts)} {Describe(parcel.Content)}",
        string text => $"text {text.Length} {(text.Length == 0 ? ' ' : text[^1])}",
        byte[] bytes => $"bytes {bytes.Length} {Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(bytes))[..16]}",
        _ => thing.GetType().FullName!,
    };

    /// <summary>Gets what it is sent pointers of, and says what it is, until the port is closed.</summary>
    internal static void Ask(SharedArena arena, string path)
    {
        using Pile pile = OpenReader(path);
        using ReceivePort port = arena.OpenReceivePort(PointersPort);
        foreach (PilePointer pointer in PilePorts.Receive(port))
        {
            pile.TryGet(pointer, out object? thing);
            Console.WriteLine(Describe(thing));
        }
        Console.WriteLine("end");
    }

    /// <summary>Says that it has the port, and then puts parcels from a number on and sends their pointers, until it is killed.</summary>
    internal static void Make(SharedArena arena, string path, int first)
    {
        Pile pile = OpenWriter(path);
        SendPort port = arena.OpenSendPort(PointersPort);
        Console.WriteLine(Sends);
        for (int number = first; ; number++)
            PilePorts.Send(arena, port, pile.Put(Of(number)));
    }
}
