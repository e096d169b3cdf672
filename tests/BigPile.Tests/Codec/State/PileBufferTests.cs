using System;
using System.Buffers;
using System.Collections.Generic;
using Xunit.Abstractions;

namespace BigPile.Tests.Codec;

/// <summary>A buffer beside a list of bytes as its model, checked after every step.</summary>
public sealed unsafe class PileBufferTests(ITestOutputHelper output)
{
    private const int Seed = 39;
    private const int LengthMost = 4 << 20;

    [Fact]
    public void BytesStayThroughGrowth()
    {
        int seed = TestLeg.Seed(Seed);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var buffer = new PileBuffer();
        var model = new List<byte>();
        for (int step = 0; step < TestLeg.Steps(2_000, 100_000); step++)
        {
            byte[] bytes = new byte[random.Next(4) == 0 ? random.Next(100_000) : random.Next(100)];
            random.NextBytes(bytes);
            Step(random.Next(40), bytes, buffer, model);
            Assert.True(buffer.WrittenSpan.SequenceEqual(model.ToArray()), $"seed {seed}, step {step}");
            buffer.CheckInvariants();
        }
    }

    private static void Step(int kind, byte[] bytes, PileBuffer buffer, List<byte> model)
    {
        if (kind == 0 || model.Count > LengthMost)
        {
            buffer.Clear();
            model.Clear();
            return;
        }
        switch (kind)
        {
            case 1:
                bytes.CopyTo(new Span<byte>(buffer.Prepare(bytes.Length), bytes.Length));
                model.Clear();
                break;
            case < 10:
                buffer.Write(bytes);
                break;
            case < 20:
                bytes.CopyTo(buffer.GetMemory(bytes.Length));
                buffer.Advance(bytes.Length);
                break;
            case < 30:
                WriteReserved(bytes, buffer);
                break;
            default:
                bytes = WriteIntoSlack(bytes, buffer);
                break;
        }
        model.AddRange(bytes);
    }

    private static void WriteReserved(byte[] bytes, PileBuffer buffer)
    {
        byte* position = buffer.Grow(buffer.Start + buffer.LengthBytes, bytes.Length);
        bytes.CopyTo(new Span<byte>(position, bytes.Length));
        buffer.SetEnd(position + bytes.Length);
    }

    // As a writer does that checks the capacity afterwards.
    private static byte[] WriteIntoSlack(byte[] bytes, PileBuffer buffer)
    {
        byte[] few = bytes[..Math.Min(bytes.Length, PileBuffer.SlackBytes)];
        byte* position = buffer.Start + buffer.LengthBytes;
        few.CopyTo(new Span<byte>(position, few.Length));
        buffer.SetEnd(buffer.Grow(position + few.Length, 0));
        return few;
    }
}
