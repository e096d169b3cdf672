using System;
using System.Collections.Generic;
using Xunit.Abstractions;

namespace BigPile.Tests.Codec;

/// <summary>Reading a damaged payload gives a clean error or some object, and nothing else.</summary>
public sealed class MalformedBytesTests(ITestOutputHelper output)
{
    private const int Seed = 20240517;
    private const long AllocationMostBytes = 4 << 20;

    private static readonly int Mutations = TestLeg.Steps(5_000, 1_000_000);

    // Each damaged catalog gets models of its own, which costs as much as a thousand reads.
    private static readonly int DamagedCatalogs = TestLeg.Steps(1_500, 50_000);

    [Theory]
    [InlineData(CodecMode.Interpreted)]
    [InlineData(CodecMode.Generated)]
    public void DamagedPayloads(CodecMode mode)
    {
        Random random = NewRandom();
        var fixture = new CodecFixture(mode, options: Extending());
        List<byte[]> payloads = Payloads(fixture);
        int read = 0;
        for (int i = 0; i < Mutations; i++)
            read += TryRead(fixture, Damage(payloads[i % payloads.Count], random), i) ? 1 : 0;
        output.WriteLine($"{read} of {Mutations} were read");
    }

    [Fact]
    public void DamagedDefinitions()
    {
        Random random = NewRandom();
        var fixture = new CodecFixture(options: Extending());
        List<byte[]> payloads = Payloads(fixture);
        int read = 0;
        for (int i = 0; i < DamagedCatalogs; i++)
        {
            var damaged = new CodecFixture(CodecMode.Interpreted, fixture.Catalog.Copy(definition => Damage(definition, random)));
            for (int k = 0; k < 5; k++)
                read += TryRead(damaged, payloads[random.Next(payloads.Count)], i) ? 1 : 0;
        }
        output.WriteLine($"{read} payloads were read");
    }

    [Fact]
    public void DefinitionsThatGoRound()
    {
        var fixture = new CodecFixture(options: Extending());
        fixture.Write(new Invoice(1, default, default, null, null, default));
        for (byte index = 0; index < 4; index++)
        {
            byte kind = index;
            FakeCatalog catalog = fixture.Catalog.Copy(definition => Array.ConvertAll(definition, b => b is 1 or 2 or 3 ? kind : b));
            Assert.Throws<PileSchemaException>(() => new CodecFixture(catalog: catalog).Read([1, 0, 0, 0, 0x96]));
        }
    }

    /// <summary>No root is a union. Its value is skipped, and the payload stays as it was.</summary>
    [Fact]
    public unsafe void DefinitionThatIsAUnion()
    {
        byte[] payload = OldPayload.Of(0xa4, (byte)'t', (byte)'e', (byte)'x', (byte)'t');
        var buffer = new PileBuffer();
        payload.CopyTo(new Span<byte>(buffer.Prepare(payload.Length), payload.Length));
        new CodecFixture(catalog: OldPayload.Catalog([OldPayload.NameOf(typeof(Node)), 7])).Read(buffer);
        Assert.Equal(payload, buffer.WrittenSpan.ToArray());
    }

    [Fact]
    public void EveryPrefixOfAPayload()
    {
        var fixture = new CodecFixture(options: Extending());
        foreach (byte[] payload in Payloads(fixture))
        {
            for (int length = 0; length < Math.Min(payload.Length, 400); length++)
            {
                byte[] cut = payload[..length];
                Assert.Throws<PileSerializationException>(() => fixture.Read(cut));
            }
        }
    }

    [Fact]
    public void HeadersThatClaimTooMuch()
    {
        var fixture = new CodecFixture(options: Extending());
        byte[] nested = fixture.Write(new object?[] { new object?[] { null } });
        byte[] bomb = new byte[1_000_000];
        nested.AsSpan(0, 4).CopyTo(bomb);
        for (int i = 4; i + 12 < bomb.Length; i += 8)
        {
            bomb[i] = 0xdd;
            bomb[i + 2] = 0x0f;
            bomb[i + 3] = 0x42;
            bomb[i + 4] = 0x40;
            nested.AsSpan(6, 3).CopyTo(bomb.AsSpan(i + 5));
        }
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<PileSerializationException>(() => fixture.Read(bomb));
        Assert.True(GC.GetAllocatedBytesForCurrentThread() - before < 20 * bomb.Length);
    }

    internal static List<byte[]> Payloads(CodecFixture fixture)
    {
        var chain = new Node();
        for (int i = 0; i < 300; i++)
            chain = new Node { Value = i, Next = chain, Other = chain };
        var graphs = new List<object> { Person.Sample(5), Order.Sample(2), chain };
        graphs.AddRange(RoundTripTests.Containers());
        graphs.AddRange(RoundTripTests.Values());
        graphs.Add(new Cage { Main = new Cat { Lives = 9 }, All = [new Dog { Name = "d" }, null, new Stray()] });
        graphs.Add(new Named { Age = 7, Name = "x" });
        graphs.Add(new List<NamedPoint> { new() { X = 5 } });
        graphs.Add(new Values { Numbers = [1, 300], Bytes = [1, 2], Map = new() { ["a"] = 0.5m } });
        foreach (object value in RoundTripTests.Containers())
            graphs.Add(new object[] { value, value, new Drawing { Tag = value, Main = new Circle("c", 1) } });
        return graphs.ConvertAll(fixture.Write);
    }

    private Random NewRandom()
    {
        int seed = TestLeg.Seed(Seed);
        output.WriteLine($"seed {seed}");
        return new Random(seed);
    }

    private static byte[] Damage(byte[] payload, Random random)
    {
        byte[] damaged = (byte[])payload.Clone();
        for (int flips = random.Next(1, 5); flips > 0; flips--)
            damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
        return random.Next(4) == 0 ? damaged[..random.Next(damaged.Length)] : damaged;
    }

    private static bool TryRead(CodecFixture fixture, byte[] payload, int round)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            fixture.Read(payload);
            return true;
        }
        catch (PileSerializationException)
        {
            return false;
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"Mutation {round}: {Convert.ToHexString(payload)}", e);
        }
        finally
        {
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.True(allocated < AllocationMostBytes, $"Mutation {round} took {allocated} bytes.");
        }
    }

    private static PileCodecOptions Extending() => new() { MayExtendContracts = true };
}
