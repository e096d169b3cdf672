using System;
using System.IO;
using System.Reflection;
using System.Runtime.ConstrainedExecution;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Codec.Resolution;

/// <summary>Finds types whose objects mean nothing outside the process.</summary>
internal static class StorableTypes
{
    private static readonly Type[] ProcessBound =
    [
        typeof(Stream), typeof(Thread), typeof(Task), typeof(CancellationTokenSource), typeof(Timer), typeof(WeakReference),
        typeof(CriticalFinalizerObject), typeof(MemberInfo), typeof(Assembly), typeof(Module), typeof(ParameterInfo), typeof(WaitHandle),
        typeof(TextReader), typeof(TextWriter),
    ];

    private static readonly Type[] ProcessBoundValues =
    [
        typeof(nint), typeof(nuint), typeof(RuntimeTypeHandle), typeof(RuntimeMethodHandle), typeof(RuntimeFieldHandle),
        typeof(System.Runtime.InteropServices.GCHandle), typeof(CancellationToken), typeof(ValueTask),
    ];

    /// <summary>Why no object of a type can be stored, as the end of a sentence; null if there is no reason.</summary>
    public static string? WhyNot(Type type)
    {
        if (type.IsSubclassOf(typeof(Delegate)))
            return "a delegate is code, not data: mark the field [NonSerialized], an event [field: NonSerialized]";
        if (type.IsPointer || type.IsFunctionPointer || type.IsByRefLike || Array.IndexOf(ProcessBoundValues, type) >= 0)
            return "it means nothing outside the process: mark the field [NonSerialized]";
        if (type.IsConstructedGenericType && type.GetGenericTypeDefinition() is var definition
            && (definition == typeof(Lazy<>) || definition == typeof(Lazy<,>)))
            return "a Lazy holds the code that makes its value: store the value, and mark the field [NonSerialized]";
        foreach (Type bound in ProcessBound)
        {
            if (bound.IsAssignableFrom(type) && !typeof(Type).IsAssignableFrom(type))
                return $"a {bound.Name} belongs to the running process: mark the field [NonSerialized]";
        }
        return null;
    }

    /// <summary>The reason as a sentence, for an error message.</summary>
    public static string WhyRefused(Type type) =>
        $"Type {type} can't be stored: {WhyNot(type) ?? LossyTypes.WhyNot(type) ?? "it is not supported"}.";
}
