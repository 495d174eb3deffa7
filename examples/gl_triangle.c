/* gl_triangle: a coloured triangle by OpenGL ES 3 without a window, written as a PNG.
 *
 *   atoll run -- examples/gl_triangle out.png
 *
 * EGL's surfaceless platform; a 256 x 256 renderbuffer of RGBA8 with a depth buffer; two triangles, of which
 * the second is partly behind the first. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 256

static const char vs_text[] = "#version 300 es\n"
                              "layout(location = 0) in vec3 at;\n"
                              "layout(location = 1) in vec3 of;\n"
                              "out vec3 color;\n"
                              "void main() { gl_Position = vec4(at, 1.0); color = of; }\n";
static const char fs_text[] = "#version 300 es\n"
                              "precision highp float;\n"
                              "in vec3 color;\n"
                              "out vec4 target;\n"
                              "void main() { target = vec4(color, 1.0); }\n";

/* Position and colour. */
static const float vertices[] = {
    0.0f,   -0.75f, 0.0f,  1, 0, 0, 0.75f, 0.75f, 0.0f, 0, 1, 0, -0.75f, 0.75f, 0.0f, 0, 0, 1,
    -0.75f, -0.5f,  -0.5f, 1, 1, 0, 0.75f, -0.5f, 0.5f, 0, 1, 1, 0.0f,   0.5f,  0.0f, 1, 0, 1,
};

static void fail(const char *what)
{
    fprintf(stderr, "%s (EGL 0x%x)\n", what, eglGetError());
    exit(1);
}

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);
    GLint ok;
    char log[500];

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (ok)
        return s;
    glGetShaderInfoLog(s, sizeof log, NULL, log);
    fail(log);
    return 0;
}

static EGLContext context(EGLDisplay dpy)
{
    static const EGLint attribs[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    EGLContext c;

    if (dpy == EGL_NO_DISPLAY || !eglInitialize(dpy, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
        fail("no EGL display");
    c = eglCreateContext(dpy, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attribs);
    if (c == EGL_NO_CONTEXT || !eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        fail("no context");
    return c;
}

int main(int argc, char **argv)
{
    static unsigned char pixels[4 * SIZE * SIZE];
    png_image png = {.version = PNG_IMAGE_VERSION, .width = SIZE, .height = SIZE, .format = PNG_FORMAT_RGBA};
    PFNEGLGETPLATFORMDISPLAYPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYPROC)eglGetProcAddress("eglGetPlatformDisplay");
    GLuint fb, rb[2], vbo, program;
    EGLDisplay dpy;
    EGLContext c;

    if (argc != 2) {
        fprintf(stderr, "usage: gl_triangle OUT.png\n");
        return 2;
    }
    if (!get_display)
        fail("EGL 1.5 is needed");
    dpy = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    c = context(dpy);
    glGenRenderbuffers(2, rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIZE, SIZE);
    glGenFramebuffers(1, &fb);
    glBindFramebuffer(GL_FRAMEBUFFER, fb);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb[0]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, rb[1]);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail("the framebuffer is incomplete");

    program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, vs_text));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, fs_text));
    glLinkProgram(program);
    glUseProgram(program);
    glGenBuffers(1, &vbo);
    glBindBuffer(GL_ARRAY_BUFFER, vbo);
    glBufferData(GL_ARRAY_BUFFER, sizeof vertices, vertices, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 24, (void *)0);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 24, (void *)12);

    glViewport(0, 0, SIZE, SIZE);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0.25f, 0.25f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (glGetError())
        fail("GL error");
    if (!png_image_write_to_file(&png, argv[1], 0, pixels, 0, NULL))
        fail(png.message);
    printf("%s: wrote %s\n", (const char *)glGetString(GL_RENDERER), argv[1]);
    eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(dpy, c);
    eglTerminate(dpy);
    return 0;
}
