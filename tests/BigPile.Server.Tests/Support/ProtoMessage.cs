using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace BigPile.Server.Tests.Support;

/// <summary>A message of Protocol Buffers, read without its schema: fields by their numbers.</summary>
internal sealed class ProtoMessage
{
    private readonly List<(int Number, ulong Value, byte[] Bytes)> _fields = [];

    internal ProtoMessage(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length != 0)
        {
            ulong tag = ReadNumber(ref bytes);
            (ulong Value, byte[] Bytes) field = (tag & 7) switch
            {
                0 => (ReadNumber(ref bytes), []),
                1 => (BinaryPrimitives.ReadUInt64LittleEndian(Take(ref bytes, 8)), []),
                5 => (BinaryPrimitives.ReadUInt32LittleEndian(Take(ref bytes, 4)), []),
                2 => (0, Take(ref bytes, (int)ReadNumber(ref bytes))),
                ulong other => throw new FormatException($"A field of wire type {other}."),
            };
            _fields.Add(((int)(tag >> 3), field.Value, field.Bytes));
        }
    }

    internal IEnumerable<ProtoMessage> Messages(int number) => Of(number).Select(static field => new ProtoMessage(field.Bytes));

    internal IEnumerable<ProtoMessage> Messages(int number, int inner) => Messages(number).SelectMany(one => one.Messages(inner));

    internal ProtoMessage? Message(int number) => Messages(number).FirstOrDefault();

    internal string Text(int number) => Encoding.UTF8.GetString(Bytes(number));

    internal byte[] Bytes(int number) => Of(number).Select(static field => field.Bytes).FirstOrDefault([]);

    internal bool Has(int number) => Of(number).Any();

    internal ulong Number(int number) => Of(number).Select(static field => field.Value).FirstOrDefault();

    internal double Double(int number) => BitConverter.UInt64BitsToDouble(Number(number));

    /// <summary>A packed field of numbers of 64 bits.</summary>
    internal ulong[] Numbers(int number)
    {
        byte[] bytes = Bytes(number);
        return [.. Enumerable.Range(0, bytes.Length / 8).Select(i => BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(i * 8)))];
    }

    private IEnumerable<(int Number, ulong Value, byte[] Bytes)> Of(int number) => _fields.Where(field => field.Number == number);

    private static byte[] Take(ref ReadOnlySpan<byte> bytes, int count)
    {
        byte[] taken = bytes[..count].ToArray();
        bytes = bytes[count..];
        return taken;
    }

    private static ulong ReadNumber(ref ReadOnlySpan<byte> bytes)
    {
        ulong number = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte part = Take(ref bytes, 1)[0];
            number |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
                return number;
        }
    }
}
