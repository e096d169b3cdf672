using System;
using System.Reflection;

namespace BigPile.Codec.Members;

/// <summary>Finds types with a finalizer: it must not run on a half-filled object.</summary>
internal static class Finalizers
{
    public static bool AreOn(Type type)
    {
        MethodInfo? finalizer = type.GetMethod("Finalize", BindingFlags.Instance | BindingFlags.NonPublic, []);
        return finalizer is not null && finalizer.DeclaringType != typeof(object)
            && finalizer.GetBaseDefinition().DeclaringType == typeof(object);
    }
}
