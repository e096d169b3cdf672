using System;

namespace BigPile.Testing;

/// <summary>What is cut: a pile or its tables, and the model of what they hold.</summary>
/// <typeparam name="T">What is opened.</typeparam>
internal abstract class CutSubject<T>
    where T : class, IDisposable
{
    /// <summary>What the run found.</summary>
    internal required CutTally Tally { get; init; }

    internal required Random Random { get; init; }

    /// <summary>How lives may end; none: they do not.</summary>
    internal required CutEnding[] Endings { get; init; }

    /// <summary>Whether the device refuses flushes now and then.</summary>
    internal bool Refuses { get; init; }

    /// <summary>Whether flushes meet a disk without space for their log.</summary>
    internal bool FillsDisk { get; init; }

    /// <summary>Whether something is changed while a flush writes segments.</summary>
    internal bool StepsDuringCheckpoint { get; init; }

    /// <summary>Whether the system tells starts of the machine apart.</summary>
    internal bool KnowsBoots { get; init; } = true;

    /// <summary>The last steps, for messages.</summary>
    internal StepLog Log { get; } = new();

    internal Guid NewBoot() => KnowsBoots ? Guid.NewGuid() : Guid.Empty;

    /// <param name="directory">Where.</param>
    /// <param name="boot">The start of the machine.</param>
    /// <param name="disk">The disk below, where it may be cut or refuse.</param>
    internal abstract T Open(string directory, Guid boot, SimulatedDisk? disk = null);

    /// <summary>Opens it for a life that ends before anything is asked for, and before its recovery has.</summary>
    internal abstract IDisposable OpenBriefly(string directory, Guid boot, SimulatedDisk? disk);

    /// <summary>Stops what works in the background: a kill is one instant, and a copy of the files is none.</summary>
    internal abstract void HoldStill(T opened);

    /// <summary>Makes a copy of the directory that is what a kill at this instant leaves.</summary>
    internal virtual void CopyKilled(string from, string to) => PileFiles.Copy(from, to);

    /// <summary>Some changes.</summary>
    internal abstract void Burst(T opened);

    /// <summary>One change, by another thread, while a flush runs.</summary>
    internal virtual void StepWhileFlushing(T opened)
    {
    }

    /// <summary>Flushes, or lets the time come for it.</summary>
    /// <returns>Whether it is sure that everything was flushed; otherwise it is only if something was written.</returns>
    internal abstract bool Flush(T opened);

    /// <summary>Whether a flush ended so because the device refused it.</summary>
    internal abstract bool IsRefusal(Exception exception);

    /// <summary>A flush begins; what is done from here on may or may not be part of it.</summary>
    internal abstract int BeginFlush();

    /// <summary>A flush has returned.</summary>
    internal abstract void EndFlush(int begin);

    /// <summary>A life is about to end.</summary>
    internal virtual void BeforeEnd()
    {
    }

    /// <summary>A life has begun, and its recovery perhaps not ended.</summary>
    internal virtual void AfterStart(T opened)
    {
    }

    /// <summary>Everything is there that was there.</summary>
    internal abstract void CheckAll(T opened, string where);

    /// <summary>Everything is there that was flushed, or what came after it.</summary>
    internal abstract void CheckCut(T opened, string where);

    /// <summary>The model goes on from what a cut left.</summary>
    internal abstract void ContinueFrom(T opened);

    /// <summary>Opens what a cut left, and checks all of it.</summary>
    /// <param name="image">The directory.</param>
    /// <param name="where">Where it was cut.</param>
    /// <param name="boot">The start of the machine to open it in.</param>
    /// <param name="mark">What <see cref="Mark"/> gave when it was cut.</param>
    internal abstract void CheckImage(string image, string where, Guid boot, ulong mark);

    /// <summary>A number that tells what was promised by this instant.</summary>
    internal virtual ulong Mark() => 0;
}
