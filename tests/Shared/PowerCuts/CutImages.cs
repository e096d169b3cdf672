using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Testing;

/// <summary>The images that cuts left, to be checked once the step in which they were taken has ended.</summary>
internal sealed class CutImages<T>(CutSubject<T> subject, ScratchDirectory scratch)
    where T : class, IDisposable
{
    private const int MostCutsInARow = 3;
    private const int SyncsOfAnOpening = 8;

    private readonly Queue<(string Image, string Where, ulong Mark)> _waiting = new();
    private int _names;

    internal int Count => _waiting.Count;

    internal static CutKind AnyKind(Random random) => (CutKind)random.Next((int)CutKind.End);

    internal void Add(SimulatedDisk disk, string where)
    {
        CutKind kind = AnyKind(subject.Random);
        string image = NewName();
        disk.Cut(image, kind);
        _waiting.Enqueue((image, $"{where}, {kind} reached", subject.Mark()));
    }

    internal void CheckAll()
    {
        while (_waiting.TryDequeue(out (string Image, string Where, ulong Mark) cut))
        {
            try
            {
                CheckInTurn(cut.Image, cut.Where, cut.Mark);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                subject.Tally.Find("failed", $"{cut.Where}: {e}");
            }
        }
    }

    // Recovery itself may be cut, again and again.
    private void CheckInTurn(string image, string where, ulong mark)
    {
        for (int cuts = 1; cuts < MostCutsInARow && subject.Random.Next(4) == 0; cuts++)
        {
            string next = OpenAndCut(image, ref where);
            Directory.Delete(image, recursive: true);
            image = next;
        }
        Guid boot = LiveBriefly(ref image, ref where);
        subject.Tally.Images++;
        subject.CheckImage(image, where, boot, mark);
        Directory.Delete(image, recursive: true);
    }

    // Recovery may also be killed, or closed, before its end.
    private Guid LiveBriefly(ref string image, ref string where)
    {
        Guid boot = subject.NewBoot();
        while (subject.Random.Next(4) == 0)
        {
            bool isKilled = subject.Random.Next(2) == 0;
            string left = image;
            using (subject.OpenBriefly(left, boot, null))
            {
                if (isKilled)
                    subject.CopyKilled(left, image = NewName());
            }
            if (isKilled)
                Directory.Delete(left, recursive: true);
            where += isKilled ? ", opened and killed" : ", opened and closed";
            boot = subject.Random.Next(2) == 0 ? boot : subject.NewBoot();
        }
        return boot;
    }

    private string OpenAndCut(string image, ref string where)
    {
        CutKind kind = AnyKind(subject.Random);
        string next = NewName();
        string? cutAt = null;
        int left = subject.Random.Next(SyncsOfAnOpening);
        int threadId = Environment.CurrentManagedThreadId;
        var disk = new SimulatedDisk(image, subject.Random);
        disk.Passing = (name, isDone) =>
        {
            if (Environment.CurrentManagedThreadId != threadId || left-- != 0)
                return;
            disk.Cut(next, kind);
            cutAt = $"{(isDone ? "after" : "before")} the sync of {name ?? "the directory"} in the opening";
        };
        subject.Tally.Images++;
        using (T opened = subject.Open(image, subject.NewBoot(), disk))
        {
            disk.Passing = null;
            subject.CheckCut(opened, where + ", opened, to be cut again");
            if (cutAt == null)
                disk.Cut(next, kind);
        }
        disk.Forget();
        where += $", again {cutAt ?? "when open"}, {kind} reached";
        return next;
    }

    private string NewName() => scratch.At($"image{++_names}");
}
