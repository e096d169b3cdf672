using System;
using BigPile.Perf.Payloads;

namespace BigPile.Perf.Pauses;

/// <summary>A place for a number of persons.</summary>
/// <remarks>Thread safety: all may be called by any number of threads, for numbers of their own.</remarks>
internal interface IObjectHolder : IDisposable
{
    /// <summary>The bytes beside the managed heap that it takes.</summary>
    long NativeBytes { get; }

    /// <summary>Keeps a person under a number, in place of the one that was there.</summary>
    void Set(int number, Person person);

    /// <summary>Gives the person of a number that was set.</summary>
    Person Get(int number);
}
