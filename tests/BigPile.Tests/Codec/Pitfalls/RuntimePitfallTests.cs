using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;

namespace BigPile.Tests.Codec;

/// <summary>Pitfalls of the garbage collector and of other threads.</summary>
[Collection(AloneCollection.Name)]
public sealed class RuntimePitfallTests
{
    public static TheoryData<CodecMode> Modes => [CodecMode.Interpreted, CodecMode.Generated];

    [Fact]
    public void FinalizersDoNotRunOnHalfFilledObjects()
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(new object[] { new Finalized { Name = "x" }, "end" });
        ReadDamaged(fixture, payload);
        Collect();
        Assert.Equal(0, Finalized.RunsOnUnnamed);
        ReadAndForget(fixture, payload);
        Collect();
        Assert.True(Finalized.Runs > 0);
        Assert.Equal(0, Finalized.RunsOnUnnamed);
    }

    [Theory, MemberData(nameof(Modes))]
    public void ReferencesInStructuresSurviveCollections(CodecMode mode)
    {
        var fixture = new CodecFixture(mode);
        var points = new Point3[200];
        for (int i = 0; i < points.Length; i++)
            points[i] = new Point3 { X = i, Label = "label" + i };
        byte[] payload = fixture.Write(points);
        for (int round = 0; round < 30; round++)
        {
            var copy = (Point3[])fixture.Read(payload);
            GC.Collect(round % 3, GCCollectionMode.Forced, blocking: true, compacting: true);
            GraphAssert.Same(points, copy);
        }
    }

    [Fact]
    public void ObjectsMayMoveWhileTheyAreNumbered()
    {
        var fixture = new CodecFixture();
        using var stop = new CancellationTokenSource();
        var collector = SideBySide.Start(() =>
        {
            while (!stop.IsCancellationRequested)
            {
                GC.Collect(0, GCCollectionMode.Forced, blocking: true, compacting: true);
                Thread.SpinWait(5_000); // each collection stops the other thread, which must run between two of them
            }
        });
        for (int round = 0; round < 300; round++)
        {
            var nodes = new Node[50];
            for (int i = 0; i < nodes.Length; i++)
                nodes[i] = new Node { Value = i };
            for (int i = 0; i < nodes.Length; i++)
                (nodes[i].Next, nodes[i].Other) = (nodes[(i * 7 + 3) % nodes.Length], nodes[(i * 11 + round) % nodes.Length]);
            GraphAssert.Same(nodes, fixture.Read(fixture.Write(nodes)));
        }
        stop.Cancel();
        collector.Wait();
    }

    [Fact]
    public void GraphThatChangesMeanwhileIsWellFormedOrAnError()
    {
        var fixture = new CodecFixture();
        var list = new List<int?>(Enumerable.Range(0, 1000).Select(i => (int?)i));
        var map = Enumerable.Range(0, 1000).ToDictionary(i => i, i => i);
        using var stop = new CancellationTokenSource();
        var changer = SideBySide.Start(() =>
        {
            for (int i = 1000; !stop.IsCancellationRequested; i++)
            {
                list[i % 500] = i;
                list.Add(i);
                list.RemoveAt(list.Count - 1);
                map.Remove(i - 500);
                map[i] = i;
            }
        });
        for (int round = 0; round < 300; round++)
        {
            try
            {
                fixture.Read(fixture.Write(new object[] { list, map }));
            }
            catch (PileSerializationException)
            {
                // The codec or the dictionary itself reports that the collection was changed.
            }
        }
        stop.Cancel();
        changer.Wait();
    }

    [Fact]
    public void TypesOfAPlugInCanBeUnloaded()
    {
        var fixture = new CodecFixture(catalog: new FakeCatalog { OutlivesProcess = false });
        WeakReference context = WritePlugInObject(fixture);
        for (int i = 0; context.IsAlive && i < 200; i++)
            Collect();
        Assert.False(context.IsAlive);
        GC.KeepAlive(fixture);
    }

    [Fact]
    public void TypesOfAPlugInAreRefusedWhereTheyWouldOutliveTheProcess()
    {
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => WritePlugInObject(new CodecFixture()));
        Assert.Contains(nameof(PileCodecOptions.Allow), e.Message, StringComparison.Ordinal);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ReadDamaged(CodecFixture fixture, byte[] payload) =>
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload[..^3]));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ReadAndForget(CodecFixture fixture, byte[] payload) => fixture.Read(payload);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference WritePlugInObject(CodecFixture fixture)
    {
        var context = new AssemblyLoadContext("plug-in", isCollectible: true);
        string path = SourceTree.OutputOf("Kinds.Own", "Kinds.Own.dll");
        Type type = context.LoadFromAssemblyPath(path).GetType("Kinds.Own.OwnPage`1")!.MakeGenericType(typeof(int));
        object page = Activator.CreateInstance(type)!;
        for (int i = 0; i < 3; i++)
            Assert.Equal(type, ((object[])fixture.Read(fixture.Write(new object[] { page, page })))[1].GetType());
        context.Unload();
        return new WeakReference(context);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    private sealed class Finalized
    {
        public static int Runs;
        public static int RunsOnUnnamed;

        public string? Name;

        ~Finalized()
        {
            Interlocked.Increment(ref Runs);
            if (Name is null)
                Interlocked.Increment(ref RunsOnUnnamed);
        }
    }
}
